import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresSession } from '../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../test/two-processes.js'
import { submissionStore } from './forms/submission-store.js'
import { linkStore } from './links/link-store.js'
import { deploymentStore, type DeploymentStore } from './store.js'
import { requestStore } from './webhooks/request-store.js'
import { createSecret } from '../../ports/outbound/deliveries/signature.js'

/** On PostgreSQL, writes that wait for one row occupy one connection: other writes go on. */

let site: TwoProcesses
let deployments: DeploymentStore
beforeAll(async () => {
  site = await twoProcesses('postgres')
  deployments = deploymentStore(site.db, 0, () => undefined)
})
afterAll(() => site.stop())

let slugs = 0
const settings = '{"next_urls":[],"origins":[],"status":302,"forward_query":false}'
const create = async (kind: 'form' | 'shortlink' | 'webhook', maxUses: number | null = null) => {
  const terms = { target: kind === 'form' ? null : 'https://example.com/', settings, expiresAt: null, maxUses }
  const secret = kind === 'webhook' ? createSecret() : null
  const created = { ...terms, kind, secret, slug: `slug-${String(++slugs)}`, isEnabled: true }
  return (await deployments.create(site.people[0]!, created))!
}

/** More than the connections for writes. */
const floodOf = (write: () => Promise<unknown>) => Array.from({ length: 30 }, write)

const rowOf = ({ id }: { readonly id: number }) => `select from deployment where id = ${String(id)} for update`

it.each<[string, () => Promise<{ readonly lock: string; readonly flood: () => Promise<unknown>[] }>]>([
  [
    'uses of a link with a maximum',
    async () => {
      const link = await create('shortlink', 1000)
      return { lock: rowOf(link), flood: () => floodOf(() => linkStore(site.db).use(link.slug)) }
    },
  ],
  [
    'changes',
    async () => {
      const { id } = await create('shortlink')
      const owner = site.people[0]!
      let changes = 0
      const change = (): Promise<unknown> => {
        const n = ++changes % 3
        if (n === 0) return deployments.toggle(owner, id, false)
        return n === 1 ? deployments.change(owner, id, {}) : deployments.remove(owner, id)
      }
      return { lock: rowOf({ id }), flood: () => floodOf(change) }
    },
  ],
  [
    'creations',
    () =>
      Promise.resolve({
        lock: `select from account where id = ${String(site.people[0]!.id)} for update`,
        flood: () => floodOf(() => create('shortlink')),
      }),
  ],
  [
    'removals of submissions',
    async () => {
      const form = await create('form')
      const remove = () => submissionStore(site.db).remove(site.people[0]!, form.id, [1])
      return { lock: rowOf(form), flood: () => floodOf(remove) }
    },
  ],
  [
    'new secrets',
    async () => {
      const webhook = await create('webhook')
      const rotate = () => requestStore(site.db).rotateSecret(site.people[0]!, webhook.id)
      return { lock: rowOf(webhook), flood: () => floodOf(rotate) }
    },
  ],
])('%s that wait do not delay other writes', async (_, prepare) => {
  const other = await create('shortlink')
  const { lock, flood } = await prepare()
  await using session = await postgresSession((site.config as { readonly url: string }).url)
  await session.query('begin')
  await session.query(lock)
  const writes = Promise.allSettled(flood())
  await linkStore(site.db).addUses([[other.id, 1]])
  expect((await deployments.get(site.people[0]!, other.id)).uses).toBe(1)
  await session.query('commit')
  await writes
})
