import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connect } from '../../../db/connect.js'
import type { Database } from '../../../db/port.js'
import { openSqlite } from '../../../db/sqlite/connection.js'
import { postgresSession } from '../../../../test/postgres-session.js'
import { twoProcesses, type TwoProcesses } from '../../../../test/two-processes.js'
import type { Account } from '../../../shared/account.js'
import { tokenActor } from '../../../shared/actor.js'
import { accountStore } from '../accounts/store.js'
import { tokenAuthenticator } from './authenticator.js'
import { unlimited } from './limits.js'
import { tokenStore } from './store.js'

/** The account of a caller with the token. */
const withToken = (account: Account, token: { id: number; name: string }): Account => ({
  ...account,
  actor: tokenActor(token),
})

const local = () => '127.0.0.1'

/** Authenticates as a client of this machine. */
function authenticatorOn(db: Database) {
  const { authenticate } = tokenAuthenticator(db)
  return (secret: string) => authenticate(secret, local)
}

describe('tokens that are cached until the next commit', () => {
  let folder: string
  let db: Database
  let account: Account
  /** As another process that revokes tokens. */
  let other: ReturnType<typeof openSqlite>
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-tokens-'))
    const file = join(folder, 'svc.db')
    db = await connect({ kind: 'sqlite', file }, (error) => {
      throw error
    })
    other = openSqlite(file)
    account = await accountStore(db).add({ email: 'ada@example.com', nickname: '', passwordHash: 'x', now: 0 })
  })
  afterAll(async () => {
    other.close()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const create = async () => tokenStore(db).create(account, randomUUID(), ['dns:read'])
  const revoke = (id: number) => other.prepare('delete from token where id = ?').run(id)

  it('authenticates a cached token without a promise', async () => {
    const authenticate = authenticatorOn(db)
    const { id, name, token } = await create()
    const caller = { account: withToken(account, { id, name }), scopes: ['dns:read'], session: null, tokenId: id }
    expect(authenticate(token)).toBeInstanceOf(Promise)
    expect(await authenticate(token)).toEqual(caller)
    expect(authenticate(token)).toEqual(caller)
  })

  it('refuses a cached token as soon as another process has revoked it', async () => {
    const authenticate = authenticatorOn(db)
    const { id, token } = await create()
    await authenticate(token)
    revoke(id)
    // A request that is sent after the revocation is found in a later turn of the event loop.
    await nextTurn()
    expect(await authenticate(token)).toBeUndefined()
  })

  it('refuses a cached token after its end, and a value before a rotation after its hours, without another commit', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const authenticate = authenticatorOn(db)
      const limits = { ...unlimited, expiresAt: Date.now() + 7_200_000 }
      const { id, token: former } = await tokenStore(db).create(account, randomUUID(), ['dns:read'], limits)
      const { token } = await tokenStore(db).rotate(account, id, 1)
      for (const value of [former, token]) expect(await authenticate(value)).toBeDefined()
      vi.setSystemTime(Date.now() + 3_600_001)
      expect([authenticate(former), await authenticate(token)]).toEqual([undefined, expect.anything()])
      vi.setSystemTime(Date.now() + 3_600_000)
      expect(authenticate(token)).toBeUndefined()
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not cache a token that was revoked while its look-up ended', async () => {
    const authenticate = authenticatorOn(db)
    const [revoked, kept] = [await create(), await create()]
    const running = authenticate(revoked.token)
    revoke(revoked.id)
    const later = authenticate(kept.token)
    expect(await running).toMatchObject({ account: { id: account.id } })
    expect(await later).toMatchObject({ account: { id: account.id } })
    await nextTurn()
    expect(await authenticate(revoked.token)).toBeUndefined()
  })
})

describe('tokens that are looked up together on PostgreSQL', () => {
  let site: TwoProcesses
  beforeAll(async () => {
    site = await twoProcesses('postgres')
  })
  afterAll(() => site.stop())

  const create = (account: Account) => tokenStore(site.db).create(account, randomUUID(), ['dns:read'])
  const callerFor = (account: Account, { id, name }: { id: number; name: string }) => ({
    account: withToken(account, { id, name }),
    scopes: ['dns:read'],
    session: null,
    tokenId: id,
  })

  it('authenticates each request by its own token, also if more requests wait than a query has room for', async () => {
    const authenticate = authenticatorOn(site.db)
    const [ada, bob] = site.people as [Account, Account]
    const [adas, bobs] = [await create(ada), await create(bob)]
    const unknown = `svc_${'0'.repeat(32)}`
    const values = [adas.token, unknown, bobs.token]
    const requests = Array.from({ length: 250 }, () => values.map(async (value) => authenticate(value)))
    for (const request of requests)
      expect(await Promise.all(request)).toEqual([callerFor(ada, adas), undefined, callerFor(bob, bobs)])
  })

  it('looks up tokens together in one query, also unknown ones and values before a rotation', async () => {
    let queries = 0
    const all: Database['all'] = (query, params) => {
      queries++
      return site.db.all(query, params)
    }
    const one: Database['one'] = (query, params) => {
      queries++
      return site.db.one(query, params)
    }
    const authenticate = authenticatorOn({ ...site.db, commitNumber: () => undefined, all, one })
    const [ada, bob] = site.people as [Account, Account]
    const [adas, bobs] = [await create(ada), await create(bob)]
    const { token: next } = await tokenStore(site.db).rotate(bob, bobs.id, 1)
    const unknown = `svc_${'0'.repeat(32)}`
    const values = [adas.token, unknown, bobs.token, next]
    queries = 0
    expect(await Promise.all(values.map(async (value) => authenticate(value)))).toEqual([
      callerFor(ada, adas),
      undefined,
      callerFor(bob, bobs),
      callerFor(bob, bobs),
    ])
    // The first request does not wait for the others.
    expect(queries).toBe(2)
  })

  it('rejects all requests of a query that fails, and authenticates later ones', async () => {
    const authenticate = authenticatorOn(site.db)
    const ada = site.people[0]!
    const made = await create(ada)
    const { token } = made
    await using session = await postgresSession((site.config as { readonly url: string }).url)
    await session.query('alter table token rename to away')
    const outcomes = await Promise.allSettled([authenticate(token), authenticate(token), authenticate(token)])
    await session.query('alter table away rename to token')
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await authenticate(token)).toEqual(callerFor(ada, made))
  })
})
