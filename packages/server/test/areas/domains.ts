import { randomUUID } from 'node:crypto'
import type { Account } from '../../src/shared/account.js'
import { unusedId, type Accounts, type AreaParts, type SetUp } from './area-parts.js'

/** The set-ups of the domain portfolio. */

/** A domain in the portfolio of the account. @returns its id */
async function domain(scene: Accounts, account: Account, name = 'example.com'): Promise<number> {
  const token = await scene.token(account, 'domain:write')
  const made = await scene.call('POST', '/v1/domains/add', { token, body: { domains: [name] } })
  return made.body['data'].domains[0].id
}

/** @param fields beyond the id */
const onDomain = (fields: object = {}): SetUp => ({
  works: async (scene) => ({ body: { ...fields, id: await domain(scene, scene.owner) } }),
  foreign: async (scene) => ({ body: { ...fields, id: await domain(scene, scene.stranger) } }),
  missing: { body: { ...fields, id: unusedId } },
})

export const domainParts: AreaParts = {
  setUps: {
    'domains.whoisSync': {
      works: async (scene) => {
        await domain(scene, scene.owner)
        return {}
      },
      foreign: async (scene) => {
        await domain(scene, scene.stranger, 'example.org')
        return { body: { domain: 'example.org' } }
      },
      missing: { body: { domain: 'missing.com' } },
      rules: /^domain must be/,
    },
    'domains.add': {
      works: async () => ({ body: { domains: [`${randomUUID()}.example`] } }),
      rules: /^domains(\[\d+\] must be (an|the) apex domain| must have at most \d+ new domains)/,
    },
    'domains.remove': onDomain(),
    'domains.annotate': { ...onDomain({ note: 'renewed by Ada' }), rules: /^note must not contain/ },
  },
  fill: async (filling) => {
    const id = await domain(filling, filling.account)
    await filling.api('POST', '/domains/annotate', { id, note: 'renewed by Ada' })
    await filling.api('POST', '/domains/calendar/create', {})
  },
}
