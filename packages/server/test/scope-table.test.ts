import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { additions, rows, scopeNames as scopes } from '../../contract/test/specification.js'
import { databaseKinds } from './app.js'
import { entries, openScene, titled, type Entry, type Scene } from './walk/scene.js'
import { expectError } from './raw-http.js'

/**
 * Every operation with every scope. The expectations come from the tables and rules of the specification, not from the
 * contract that the server reads.
 */

/** The scope column of section 4, or of the table of additions (section 9.2), for an operation. */
function columnOf({ op }: Entry): string {
  const row = [...rows, ...additions].find(({ method, path }) => method === op.method && path === op.path)
  if (row === undefined) throw new Error(`No table has ${op.method} ${op.path}.`)
  return row.scope
}

const isFree = (column: string) => column === 'public' || column === 'any token'

/** "Two scopes joined by | mean either one is accepted" (4); "a write scope of an area also permits its reads" (5.6). */
const accepted = (column: string): string[] =>
  scopes.filter((scope) =>
    column
      .split(' | ')
      .some((named) => scope === named || (named.endsWith(':read') && scope === named.replace(':read', ':write'))),
  )

const atV1 = entries.filter(({ door }) => door === 'v1')

it.each(databaseKinds)(
  'a token permits exactly the operations of its scope: %s',
  async (kind) => {
    const scene = await openScene(kind)
    const tryAll = async (scope: Parameters<Scene['token']>[1]) => {
      const forRefusals = await scene.credentials('v1', scene.stranger, scope)
      let refusals = 0
      for (const entry of atV1) {
        const column = columnOf(entry)
        const where = `${entry.op.id} with ${scope}`
        const isPermitted = isFree(column) || scope === '*' || accepted(column).includes(scope)
        // A refusal reads nothing but the token's scopes, so one for each scope shows that PostgreSQL has them too.
        if (!isPermitted && refusals++ > 0 && kind === 'postgres') continue
        // A new token for each permitted call, because an operation may revoke tokens of the owner.
        const credentials = isPermitted ? await scene.credentials('v1', scene.owner, scope) : forRefusals
        const answer = await scene.send(entry, entry.op.example, credentials)
        if (isPermitted) {
          expect(answer.status, where).toBeLessThan(500)
          expect(['unauthorized', 'forbidden_scope'], where).not.toContain(answer.body['error'])
        } else {
          expect(answer.body['error'], where).toBe('forbidden_scope')
          expectError(answer, 'forbidden_scope')
          expect(answer.body, where).toMatchObject({ required_scopes: accepted(column), token_scopes: [scope] })
        }
      }
    }
    // One after the other: parallel calls would wait for the lock on the tokens of the owner, which has a deadline.
    for (const scope of [...scopes, '*'] as Parameters<Scene['token']>[1][]) await tryAll(scope)
    await scene.stop()
  },
  180_000,
)

describe('a token without a scope', () => {
  let scene: Scene
  let token: string
  beforeAll(async () => {
    scene = await openScene('sqlite')
    const headers = { ...(await scene.credentials('console', scene.owner)), origin: scene.url }
    const created = await scene.call('POST', '/console/api/keys', { headers, body: { name: 'bare' } })
    token = String(created.body['data'].token)
  })
  afterAll(() => scene.stop())

  it.each(titled(atV1))('a token without a scope has the scope dns:read: %s', async (_, entry) => {
    const answer = await scene.send(entry, entry.op.example, { authorization: `Bearer ${token}` })
    const column = columnOf(entry)
    if (isFree(column) || accepted(column).includes('dns:read'))
      expect([undefined, 'forbidden_zone']).toContain(answer.body['error'])
    else expect(answer.body).toMatchObject({ error: 'forbidden_scope', token_scopes: ['dns:read'] })
  })
})

it('public operations need no token', async () => {
  const scene = await openScene('sqlite')
  for (const entry of atV1.filter((candidate) => columnOf(candidate) === 'public'))
    expect((await scene.send(entry, entry.op.example, {})).status, entry.op.id).toBe(200)
  await scene.stop()
})

it('no operation answers 403 forbidden_scope to a console session', async () => {
  const scene = await openScene('sqlite')
  for (const entry of entries.filter(({ door }) => door === 'console')) {
    const answer = await scene.send(entry, entry.op.example, await scene.credentials('console', scene.owner))
    expect(answer.body['error'], entry.op.id).not.toBe('forbidden_scope')
  }
  await scene.stop()
})
