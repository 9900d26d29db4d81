import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freshPostgres } from '../../../../../test/servers/index.js'
import { comparableRows } from '../../../test/archived-account.js'
import { ask } from '../../../test/dns-ask.js'
import { startApp } from '../../../test/app.js'
import { fillAccount } from '../../../test/full-account.js'
import { runSql } from '../../../test/site.js'
import { getPage } from '../../../test/site-host.js'
import { entries, openScene, type Scene } from '../../../test/walk/scene.js'
import { accountStore } from '../../areas/account/accounts/store.js'
import { readConfig, type Config } from '../../config.js'
import { accountTables, exportedRows, type TableName } from '../../db/account-tables.js'
import type { Account } from '../../shared/account.js'
import { MasterKey } from '../../shared/master-key.js'
import { AccountArchive } from './archive.js'
import { exportAccount } from '../account-export.js'
import { importAccount, schemaOf } from '../account-import.js'
import { assignZone } from '../dns.js'
import { withDatabase } from '../with-database.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The settings of an installation with a separate master key. */
function installation(name: string, database: Config['database']): Config {
  const config = readConfig({ env: { SVC_DATA: join(folder, name), SVC_DNS_PORT: '0' } })
  return { ...config, database, vault: { kind: 'setting', key: MasterKey.random() } }
}
/** What a server shares with the commands. */
const portsOf = ({ database, blobs, vault }: Config) => ({ database, blobs, vault })
const onSqlite = (name: string) => installation(name, { kind: 'sqlite', file: join(folder, name, 'svc.db') })

const file = (name: string) => join(folder, name)

/** @returns the export key */
async function exportTo(name: string, config: Config, email: string): Promise<string> {
  const keys: string[] = []
  const showKey = async (key: string) => void keys.push(key)
  const done = await exportAccount(config, { email, file: file(name), showKey, onProgress: () => undefined })
  expect({ lost: done.lost.count, damaged: done.damaged }).toEqual({ lost: 0, damaged: [] })
  return keys.join()
}

const importFrom = (name: string, config: Config, key: string | undefined, email?: string) =>
  importAccount(config, { file: file(name), email, readKey: async () => key })

const rowsIn = (name: string, config: Config, key: string) =>
  comparableRows(file(name), config.database, MasterKey.parse(key) as MasterKey)

const lookUp = async (port: number, name: string) => (await ask(port, name, 'A')).answers.map(({ value }) => value)

/** An answer without ids, and without the address of the server. */
const comparable = (text: string, scene: Scene) =>
  text
    .replaceAll(/"(request_id|previous_id|next)":"[^"]*"/g, '')
    .replaceAll(/"(id|\w+_id|version|last_used_at)":(\d+|"[^"]*")/g, '')
    .replaceAll(`:${new URL(scene.url).port}`, '')

describe('an account with everything', () => {
  let source: Config
  let target: Config
  let old: Scene
  let moved: Scene
  let owner: Account
  let [key, token] = ['', '']
  beforeAll(async () => {
    source = onSqlite('source')
    target = installation('target', { kind: 'postgres', url: await freshPostgres() })
    old = await openScene('sqlite', portsOf(source))
    moved = await openScene('sqlite', portsOf(target))
    owner = old.owner
    await fillAccount(old, source.database)
    token = await old.token(owner, '*')
    key = await exportTo('source.svc', source, owner.email)
  })
  afterAll(() => Promise.all([old.stop(), moved.stop()]))

  it('has rows in every table', async () => {
    const rows = await rowsIn('source.svc', source, key)
    const isExported = (table: TableName) => exportedRows(table, 1, 'sqlite') !== undefined
    expect(Object.keys(rows).toSorted()).toEqual(
      (Object.keys(accountTables) as TableName[]).filter(isExported).toSorted(),
    )
  })

  it('is the same on PostgreSQL, and back on SQLite, except for its ids', async () => {
    expect((await importFrom('source.svc', target, key)).changes).toEqual([])
    const onPostgres = await exportTo('target.svc', target, owner.email)
    const back = onSqlite('back')
    expect((await importFrom('target.svc', back, onPostgres)).changes).toEqual([])
    const onSqliteAgain = await exportTo('back.svc', back, owner.email)

    const before = await rowsIn('source.svc', source, key)
    const [use] = before['storage_use'] as { bytes: number; objects: number }[]
    const withoutUpload = { ...use, uploads: 0, bytes: Number(use?.bytes) - 5, objects: Number(use?.objects) - 1 }
    const expected = { ...before, storage_use: [withoutUpload] }
    expect(await rowsIn('target.svc', target, onPostgres)).toEqual(expected)
    expect(await rowsIn('back.svc', back, onSqliteAgain)).toEqual(expected)
  })

  it('answers the same to its old token, also for files, sites and links', async () => {
    const lists = entries.filter(({ op, path, door }) => {
      const isConsoleOnly = door === 'console' && path.startsWith('/console')
      // Sessions are not moved, and an installation has its own registry data.
      if (['account.sessionList', 'whois.lookup'].includes(op.id)) return false
      return op.method === 'GET' && typeof op.access === 'object' && !isConsoleOnly && !path.includes('{')
    })
    const answersOf = async (scene: Scene) => {
      const answers: Record<string, unknown> = {}
      const get = async (path: string) => scene.call('GET', path, { token })
      for (const { path, op } of lists) {
        const query = new URLSearchParams(op.example.query as Record<string, string>).toString()
        answers[op.id] = op.id === 'files.download' ? '' : comparable((await get(`${path}?${query}`)).text, scene)
      }
      const { files } = (await get('/v1/files?limit=100')).body['data']
      for (const { id, name, share_url: link } of files as { id: number; name: string; share_url: string | null }[]) {
        const { text, status } = await get(`/v1/files/download?id=${id}`)
        const shared = link && (await getPage(scene.url, 'content.localhost', new URL(link).pathname)).text
        answers[name] = [status, createHash('sha256').update(text).digest('hex'), shared === null || shared === text]
      }
      const page = await getPage(scene.url, 'moved.localhost', '/')
      const served = await lookUp(scene.dnsPort, 'www.released.com')
      return { ...answers, page: [page.status, page.text], served }
    }
    const expected = await answersOf(old)
    expect(expected).toMatchObject({ page: [200, 'two'], served: ['192.0.2.7'] })
    expect(Object.keys(expected).length).toBeGreaterThan(12)
    expect(await answersOf(moved)).toEqual(expected)
  })

  it('a zone that the operator keeps, and was never proven, is pending without its records', async () => {
    const config = { ...onSqlite('operators'), publicUrl: 'https://svc.moved.com' }
    const { changes, zones } = await importFrom('source.svc', config, key)
    expect(changes).toEqual([
      `The claim on moved.com is pending: the operator keeps the zone. svc dns assign moved.com ${owner.email} gives it to the account.`,
      'The records of moved.com (1) are left out: the account does not hold the zone here.',
    ])
    expect(zones).not.toContain('moved.com')
    expect(zones).toContain('released.com')
    expect(await runSql(config.database, `select name from dns_zone where name = 'moved.com'`)).toEqual([])
  })

  it('serves its zones again where the operator has deleted them', async () => {
    const config = onSqlite('deleted')
    await withDatabase(config.database, () => Promise.resolve())
    const deleted = (name: string) => `('${name}', 4000000000, 1, 9, 0, 1)`
    await runSql(
      config.database,
      `insert into dns_zone (name, serial, version, last_record_id, content_bytes, deleted_at)
        values ${deleted('moved.com')}, ${deleted('released.com')}`,
    )
    await importFrom('source.svc', config, key)
    const zones = await runSql(
      config.database,
      `select name, serial, deleted_at, holder_id is null as unheld from dns_zone
        where name in ('moved.com', 'released.com') order by name`,
    )
    const served = { serial: 4_000_000_001, deleted_at: null, unheld: 0 }
    expect(zones).toEqual(['moved.com', 'released.com'].map((name) => ({ name, ...served })))
  })

  it('in its own installation: gets other names and links, keeps its records, and names each change', async () => {
    const { changes, zones } = await importFrom('source.svc', source, key, 'second@example.com')
    expect(zones).toEqual([])
    const kinds = [
      /^The claim on \S+ is pending: another account has verified the zone\. svc dns assign \S+ second@example\.com gives it to the account\.$/,
      /^The records of \S+ \(\d+\) are kept, and served when the account verifies the zone\.$/,
      /^The records of \S+ have new ids\.$/,
      /^The site (\S+) is renamed to \1-2: its name is taken here\.$/,
      /^The package (\S+) is renamed to \1-2: its name is taken here\.$/,
      /^The file \d+ \([^)]*\) has a new share link: its link is taken here\.$/,
      /^The (form|webhook|shortlink) \d+ has a new address: its address is taken here\.$/,
      /^The token svc_\S+… \([^)]+\) is left out: it exists in this installation\.$/,
      /^The forwarder key \S+… \(signed\) is left out: it exists in this installation\.$/,
      /^The domain www\.walk-\d+\.com of a site is left out: it exists in this installation\.$/,
      /^The address of the calendar is left out: it exists in this installation\.$/,
    ]
    for (const kind of kinds) expect(changes, String(kind)).toContainEqual(expect.stringMatching(kind))
    for (const change of changes)
      expect(
        kinds.some((kind) => kind.test(change)),
        change,
      ).toBe(true)

    const second = await accountStore(old.app.database).byEmail('second@example.com')
    const read = await old.token(second as Account, '*')
    const get = async (path: string) => (await old.call('GET', path, { token: read })).body['data']
    expect((await get('/v1/cred')).credentials).toMatchObject([{ secret: 'correct horse battery staple' }])
    expect((await get('/v1/sms/messages')).messages).toMatchObject([{ body: 'hello' }])
    expect(await lookUp(old.dnsPort, 'www.moved.com')).toEqual(['192.0.2.7'])
    await assignZone(source, 'moved.com', 'second@example.com')
    expect((await get('/v1/dns/zones/moved.com/records')).records).toMatchObject([{ id: 2, host: 'www' }])
    expect((await getPage(old.url, 'moved-2.localhost', '/')).text).toBe('two')
  })
})

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

  it('of two at once, one creates the account', async () => {
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
    const stored = await readdir(join(folder, 'refusing', 'files'), { recursive: true }).catch(() => [])
    expect(stored.filter((name) => /-\d+$/.test(name) && !name.includes('writer'))).toEqual([])
  })

  it.each([
    ['a missing key', () => undefined, undefined, 'has encrypted secrets: give its export key with --key-stdin'],
    ['another key', () => MasterKey.random().format(), undefined, 'are encrypted with the export key'],
    ['a taken address', () => key, 'first@example.com', 'The account first@example.com exists in'],
    ['an invalid email address', () => key, 'x', 'must be an address such as'],
  ])('%s', async (_, keyOf, as, message) => {
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
  ])('an archive with %s', async (_, change, message) => {
    const { tables, migrations } = await schemaOf(config)
    await writeFile(file('changed.svc'), change(await readFile(file('ada.svc'))))
    await expect(new AccountArchive(file('changed.svc'), tables, migrations).read()).rejects.toThrow(message)
  })

  it('a pipe, which cannot be read twice', async () => {
    execFileSync('mkfifo', [file('pipe')])
    for (const path of [file('pipe'), '-'])
      await expect(importAccount(config, { file: path, email: undefined, readKey: async () => key })).rejects.toThrow(
        'FILE must be a file on a disk, not a pipe or stdin',
      )
  })

  it('an account that appears meanwhile', async () => {
    const readKey = async () => {
      await addAccount(email)
      return key
    }
    await expect(importAccount(config, { file: file('ada.svc'), email: undefined, readKey })).rejects.toThrow(
      'repeat the command',
    )
    await runSql(config.database, `delete from account where email = '${email}'`)
  })
})
