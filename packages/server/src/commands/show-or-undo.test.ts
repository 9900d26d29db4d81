import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '@node-rs/argon2'
import { expect, it } from 'vitest'
import { accountStore } from '../areas/account/accounts/store.js'
import { tokenStore } from '../areas/account/tokens/store.js'
import { showOrUndo } from './show-or-undo.js'
import { addToken } from './token.js'
import { addUser, resetPassword } from './user.js'
import { withDatabase } from './with-database.js'

const full = () => Promise.reject(new Error('stdout cannot be written: ENOSPC.'))
const email = 'ada@example.com'

it('a secret that cannot be printed leaves no account, no token and the old password', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-show-'))
  const config = { kind: 'sqlite', file: join(folder, 'svc.db') } as const
  const given = { email, nickname: '', password: undefined }
  await expect(addUser(config, given, full)).rejects.toThrow(
    `stdout cannot be written: ENOSPC; the account ${email} is removed again.`,
  )
  let password = ''
  await addUser(config, given, async ({ madePassword = '' }) => {
    password = madePassword
  })
  await expect(resetPassword(config, email, undefined, full)).rejects.toThrow(
    `; the password of ${email} is unchanged.`,
  )
  await expect(addToken(config, { email, name: 'ci', scopes: [] }, full)).rejects.toThrow(
    '; the token "ci" is revoked again.',
  )
  await withDatabase(config, async (db) => {
    const account = await accountStore(db).byEmail(email)
    expect(await verify(account!.passwordHash, password)).toBe(true)
    for await (const page of tokenStore(db).list(account!)) expect(page).toEqual([])
  })
  await rm(folder, { recursive: true })
})

it('says so if the change cannot be undone', async () => {
  await expect(showOrUndo(full, () => Promise.reject(new Error('gone')), 'all is undone')).rejects.toThrow(
    'stdout cannot be written: ENOSPC. The change could not be undone: gone',
  )
})
