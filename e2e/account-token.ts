import { join } from 'node:path'
import type { TokenScope } from '@svc/contract'
import type { Place } from '../packages/cli/test/svc.js'
import { hashPassword } from '../packages/server/src/areas/account/accounts/passwords.js'
import { accountStore } from '../packages/server/src/areas/account/accounts/store.js'
import { sessionStore } from '../packages/server/src/areas/account/sessions/store.js'
import { tokenStore } from '../packages/server/src/areas/account/tokens/store.js'
import { withDatabase } from '../packages/server/src/commands/with-database.js'
import { readDatabaseConfig } from '../packages/server/src/config/config.js'

/** Creates an account without a usable password, and a token. Much faster than the operator's commands. @returns the token's value */
export async function accountToken({ cwd, env }: Place, email: string, scope: TokenScope): Promise<string> {
  const database = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  return withDatabase(database, async (db) => {
    const account = await accountStore(db).add({ email, nickname: '', passwordHash: '', now: Date.now() })
    return (await tokenStore(db).create(account, 'e2e', [scope])).token
  })
}

/** Creates more tokens of an account, which have every scope. */
export async function moreTokens({ cwd, env }: Place, email: string, count: number): Promise<string[]> {
  const database = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  return withDatabase(database, async (db) => {
    const account = await accountStore(db).byEmail(email)
    if (account === undefined) throw new Error(`${email} has no account.`)
    const created = []
    for (let n = 0; n < count; n++)
      created.push((await tokenStore(db).create(account, `token ${String(n)}`, ['*'])).token)
    return created
  })
}

/** Creates an account that signs in with a password. */
export async function accountWithPassword({ cwd, env }: Place, email: string, password: string): Promise<void> {
  const database = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  await withDatabase(database, async (db) => {
    const passwordHash = await hashPassword(password)
    await accountStore(db).add({ email, nickname: '', passwordHash, now: Date.now() })
  })
}

/** Begins a session of an account without a sign-in, on a server with an http origin. @returns the Cookie header */
export async function accountSession({ cwd, env }: Place, email: string): Promise<string> {
  const database = readDatabaseConfig({ env: { SVC_DATA: join(cwd, 'data'), ...env } })
  return withDatabase(database, async (db) => {
    const account = await accountStore(db).byEmail(email)
    if (account === undefined) throw new Error(`${email} has no account.`)
    const { secret } = await sessionStore(db).begin(account, { ip: '127.0.0.1', userAgent: 'e2e' })
    return `svc_session=${secret}`
  })
}
