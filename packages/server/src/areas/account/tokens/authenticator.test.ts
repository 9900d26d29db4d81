import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../../db/connect.js'
import type { Database } from '../../../db/port.js'
import { openSqlite } from '../../../db/sqlite/connection.js'
import type { Account } from '../../../shared/account.js'
import { accountStore } from '../accounts/store.js'
import { tokenAuthenticator } from './authenticator.js'
import { tokenStore } from './store.js'

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

  const create = async () => tokenStore(db).create(account, 'ci', ['dns:read'])
  const revoke = (id: number) => other.prepare('delete from token where id = ?').run(id)

  it('authenticates a cached token without a promise', async () => {
    const { authenticate } = tokenAuthenticator(db)
    const { token } = await create()
    const caller = { account, scopes: ['dns:read'], session: null }
    expect(authenticate(token)).toBeInstanceOf(Promise)
    expect(await authenticate(token)).toEqual(caller)
    expect(authenticate(token)).toEqual(caller)
  })

  it('refuses a cached token as soon as another process has revoked it', async () => {
    const { authenticate } = tokenAuthenticator(db)
    const { id, token } = await create()
    await authenticate(token)
    revoke(id)
    expect(await authenticate(token)).toBeUndefined()
  })

  it('does not cache a token that was revoked while its look-up ended', async () => {
    const { authenticate } = tokenAuthenticator(db)
    const [revoked, kept] = [await create(), await create()]
    const running = authenticate(revoked.token)
    revoke(revoked.id)
    // This request sees the commit before the first one has ended.
    const later = authenticate(kept.token)
    expect(await running).toMatchObject({ account })
    expect(await later).toMatchObject({ account })
    expect(await authenticate(revoked.token)).toBeUndefined()
  })
})
