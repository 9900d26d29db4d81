import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountMoves, portsOf } from '../../../test/account-moves.js'
import { startApp } from '../../../test/app.js'
import { runSql } from '../../../test/site.js'
import type { Config } from '../../config/config.js'
import { MasterKey } from '../../shared/master-key.js'
import { importAccount, schemaOf } from '../account-import.js'
import { withDatabase } from '../with-database.js'
import { AccountArchive } from './archive.js'

const { file, onSqlite, exportTo, importFrom } = accountMoves()

describe('an import that is refused', () => {
  let config: Config
  let key: string
  const email = 'ada@example.com'
  beforeAll(async () => {
    const origin = onSqlite('origin')
    const server = await startApp('sqlite', portsOf(origin))
    const token = await server.token(await server.account(email), '*')
    await server.account('plain@example.com')
    await server.call('POST', '/v1/files/upload', { token, body: { name: 'a', content: 'A'.repeat(400_000) } })
    await server.call('POST', '/v1/cred', { token, body: { platform: 'p', secret: 's' } })
    key = await exportTo('ada.svc', origin, email)
    expect(await exportTo('plain.svc', origin, 'plain@example.com')).toBe('')
    await server.stop()
    config = onSqlite('refusing')
    await withDatabase(config.database, () => Promise.resolve())
    await addAccount('first@example.com')
  })
  const addAccount = (address: string) =>
    runSql(
      config.database,
      `insert into account (email, nickname, password_hash, created_at) values ('${address}', '', '', 1)`,
    )

  it('of two imports at once, one creates the account', async () => {
    const both = await Promise.allSettled([1, 2].map(() => importFrom('plain.svc', config, undefined)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const accounts = await runSql(config.database, 'select email from account')
    expect(accounts).toEqual([{ email: 'first@example.com' }, { email: 'plain@example.com' }])
    await runSql(config.database, 'delete from account where id > 1')
  })

  afterEach(async () => {
    const rows = await runSql(
      config.database,
      'select (select count(*) from account) + (select count(*) from blob) as n',
    )
    expect(rows).toEqual([{ n: 1 }])
    const stored = await readdir(join(file('refusing'), 'files'), { recursive: true }).catch(() => [])
    expect(stored.filter((name) => /-\d+$/.test(name) && !name.includes('writer'))).toEqual([])
  })

  it.each([
    ['a missing key', () => undefined, undefined, 'has encrypted secrets: give its export key with --key-stdin'],
    ['another key', () => MasterKey.random().format(), undefined, 'are encrypted with the export key'],
    ['a taken address', () => key, 'first@example.com', 'The account first@example.com exists in'],
    ['an invalid email address', () => key, 'x', 'must be an address such as'],
  ])('refuses an import with %s', async (_, keyOf, as, message) => {
    await expect(importFrom('ada.svc', config, keyOf(), as)).rejects.toThrow(message)
  })

  it.each([
    [
      'a changed byte',
      (bytes: Buffer) => bytes.fill('b', bytes.lastIndexOf(email), bytes.lastIndexOf(email) + 1),
      'is damaged',
    ],
    ['a missing end', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2), 'is cut off'],
    [
      'another kind',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"account",', '"backup", '), 'latin1'),
      'svc restore reads it',
    ],
    [
      'another schema',
      (bytes: Buffer) =>
        Buffer.from(bytes.toString('latin1').replace('"0013-registrations"', '"0012-sms"          '), 'latin1'),
      'update the installation of the export',
    ],
  ])('refuses an archive with %s', async (_, change, message) => {
    const { tables, migrations } = await schemaOf(config)
    await writeFile(file('changed.svc'), change(await readFile(file('ada.svc'))))
    await expect(
      new AccountArchive(file('changed.svc'), tables, migrations).read({ sitesDomain: 'localhost', hosts: [] }),
    ).rejects.toThrow(message)
  })

  it('refuses a pipe, which cannot be read twice', async () => {
    execFileSync('mkfifo', [file('pipe')])
    for (const path of [file('pipe'), '-'])
      await expect(importAccount(config, { file: path, email: undefined, readKey: async () => key })).rejects.toThrow(
        'FILE must be a file on a disk, not a pipe or stdin',
      )
  })

  it('refuses an account that appears meanwhile', async () => {
    const readKey = async () => {
      await addAccount(email)
      return key
    }
    await expect(importAccount(config, { file: file('ada.svc'), email: undefined, readKey })).rejects.toThrow(
      'repeat the command',
    )
    await runSql(config.database, `delete from account where email = '${email}'`)
  })

  it('an import that a signal interrupts creates no account', async () => {
    const stop = new AbortController()
    const readKey = async () => {
      stop.abort(new Error('Interrupted on purpose.'))
      return key
    }
    const interrupted = importAccount(config, { file: file('ada.svc'), email: undefined, readKey, signal: stop.signal })
    await expect(interrupted).rejects.toThrow('on purpose')
    expect(await runSql(config.database, `select id from account where email = '${email}'`)).toEqual([])
  })
})
