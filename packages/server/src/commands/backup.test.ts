import { chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { SqliteDialect } from 'kysely'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../test/app.js'
import {
  addAccount,
  allRows,
  rowsAfter,
  connectLikeServer,
  createDatabase,
  emptyFolder,
  openDatabase,
} from '../../test/database-rows.js'
import { contentOf, installationIn, readObject, smallInstallation, Writing } from '../../test/installation.js'
import { runSql } from '../../test/site.js'
import { fileOutput } from '../archive/output.js'
import { ArchiveWriter } from '../archive/writer.js'
import { migrate } from '../db/migrate.js'
import { migrationNames } from '../db/migrations/index.js'
import type { Row } from '../db/table-shape.js'
import { newBlobKey } from '../ports/blobs/port.js'
import { selectBlobs } from '../ports/blobs/select.js'
import { createKeyFile } from '../ports/vault/key-file.js'
import { MasterKey } from '../shared/master-key.js'
import { backup } from './backup.js'
import { restore } from './restore.js'

vi.setConfig({ testTimeout: 60_000 })

/** Options of a restore that nothing interrupts. */
const uninterrupted = { onProgress: () => undefined, signal: new AbortController().signal }
const withoutKey = { withMasterKey: false, onProgress: () => undefined }

/** Two folders and an archive. */
async function places() {
  const folder = await emptyFolder()
  const [from, to] = ['from', 'to'].map((name) => join(folder.path, name)) as [string, string]
  await Promise.all([from, to].map((path) => mkdir(path)))
  return { ...folder, from, to, file: join(folder.path, 'backup.svc') }
}

describe.each([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a backup of %s, restored to %s', (kind, otherKind) => {
  it('has every write that was acknowledged before it began, and the right bytes of every row, under eight writers', async () => {
    await using place = await places()
    const original = await installationIn(place.from, kind)
    const writing = await Writing.start(original)
    await writing.writeThree('first')
    const running = writing.run()
    await expect.poll(() => writing.emails.length).toBeGreaterThan(60)
    const [emails, objects] = [[...writing.emails], new Map(writing.objects)]
    const made = await backup(original, place.file, withoutKey)
    expect(writing.emails.length).toBeGreaterThan(emails.length)
    writing.stop()
    await running
    await writing.close()
    expect(made.lost.count).toBe(0)

    const restored = await installationIn(place.to, otherKind)
    const { objects: count, nextSteps } = await restore(restored, place.file, uninterrupted)
    expect(nextSteps).toEqual(['Start svc serve.'])
    expect(count).toBe(made.objects)
    const rows = await allRows(restored.database)
    const found = new Set((rows['account'] as { email: string }[]).map(({ email }) => email))
    expect(emails.filter((email) => !found.has(email))).toEqual([])
    const blobs = await selectBlobs(restored.blobs)
    const keys = (rows['blob'] as { key: string }[]).map(({ key }) => key)
    expect([...objects.keys()].filter((key) => !keys.includes(key))).toEqual([])
    for (const key of keys) {
      const email = writing.objects.get(key)
      if (email !== undefined) expect((await readObject(blobs, key, 64)).equals(contentOf(email))).toBe(true)
      expect(await blobs.sizeOf(key)).toBe(64)
    }
    let listed = 0
    for await (const _ of blobs.list()) listed++
    expect(listed).toBe(keys.length)
  })

  it('is refused beside a server and over accounts, repeated after it was cut off, has all rows, and gives out no id again', async () => {
    await using place = await places()
    const original = await smallInstallation(place.from, kind)
    await addAccount(original.database, 'deleted@example.com')
    await runSql(original.database, `delete from account where email = 'deleted@example.com'`)
    await backup(original, place.file, withoutKey)
    const target = await installationIn(place.to, otherKind)

    const disconnect = await connectLikeServer(target.database)
    await expect(restore(target, place.file, uninterrupted)).rejects.toThrow(
      /[Oo]ther process.+: stop the servers? first\.$/,
    )
    await disconnect()

    const [cut, whole] = [join(place.to, 'cut.svc'), await readFile(place.file)]
    await writeFile(cut, whole.subarray(0, whole.lastIndexOf('end.json')))
    await expect(restore(target, cut, uninterrupted)).rejects.toThrow('is cut off')
    if (otherKind === 'postgres') {
      const started = openDatabase(target.database).then((db) => db.close())
      await expect(started).rejects.toThrow('has not ended: repeat svc restore')
      await expect(backup(target, `${cut}2`, withoutKey)).rejects.toThrow('has not ended')
    } else expect(await runSql(target.database, 'select name from sqlite_schema')).toEqual([])

    await restore(target, place.file, uninterrupted)
    expect(await rowsAfter('svc restore', target.database)).toEqual(await allRows(original.database))
    expect(await addAccount(target.database, 'next@example.com')).toBe(4)
    await expect(restore(target, place.file, uninterrupted)).rejects.toThrow('is in use: its table account has rows.')
  })
})

it.each(['sqlite', 'postgres'] as const)(
  'a backup of %s leaves out unfinished uploads with their objects, and keeps the finished ones',
  async (kind) => {
    await using place = await places()
    const original = await smallInstallation(place.from, kind)
    const blobs = await selectBlobs(original.blobs)
    const part = async (uploadId: number, index: number) => {
      const key = newBlobKey(1)
      await blobs.put(key, Readable.from([contentOf('part')]))
      await runSql(original.database, `insert into blob (key, size) values ('${key}', 64)`)
      const values = `${uploadId}, ${index}, '${key}', 64`
      await runSql(original.database, `insert into upload_part (upload_id, part, blob_key, size) values (${values})`)
    }
    // One that has expired, one with two parts, one that is finished, and one of the other account.
    for (const [account, expires, file] of [
      [1, 1, 'null'],
      [1, 9e15, 'null'],
      [1, 9e15, '7'],
      [2, 9e15, 'null'],
    ])
      await runSql(
        original.database,
        `insert into upload (account_id, expires_at, file_id) values (${account}, ${expires}, ${file})`,
      )
    for (const [upload, index] of [
      [1, 0],
      [2, 0],
      [2, 5],
      [4, 0],
    ] as const)
      await part(upload, index)
    const use = (account: number, numbers: string) =>
      runSql(
        original.database,
        `insert into storage_use (account_id, files, shared, bytes, uploads, objects) values (${account}, ${numbers})`,
      )
    await use(1, '1, 0, 256, 2, 4')
    await use(2, '0, 0, 64, 1, 1')

    expect(await backup(original, place.file, withoutKey)).toMatchObject({ objects: 2, lost: { count: 0 } })
    const restored = await installationIn(place.to, kind === 'sqlite' ? 'postgres' : 'sqlite')
    await restore(restored, place.file, uninterrupted)
    const rows = await allRows(restored.database)
    expect(rows['upload']).toMatchObject([{ id: 3, file_id: 7 }])
    expect(rows['upload_part'] ?? []).toEqual([])
    expect(rows['blob']).toHaveLength(2)
    expect(rows['storage_use']).toEqual([
      { account_id: 1, files: 1, shared: 0, bytes: 64, uploads: 0, objects: 1 },
      { account_id: 2, files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 },
    ])
  },
)

it('finishes without objects that are missing or have another size, and names them', async () => {
  await using place = await places()
  const original = await smallInstallation(place.from, 'sqlite')
  const keys = (await runSql(original.database, 'select key from blob order by key')).map(({ key }) => String(key))
  const pathOf = (key: string) => join(place.from, 'files', key.charAt(0), key.charAt(1), key)
  await rm(pathOf(keys[0]!))
  await writeFile(pathOf(keys[1]!), 'short')
  const { lost, objects } = await backup(original, place.file, withoutKey)
  expect([objects, lost.count]).toEqual([0, 2])
  expect(lost.first.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual([
    { key: keys[0], size: 64, problem: 'it does not exist' },
    { key: keys[1], size: 64, problem: 'it has 5 bytes instead of 64' },
  ])
  const restored = await installationIn(place.to, 'sqlite')
  expect(await restore(restored, place.file, uninterrupted)).toMatchObject({ objects: 0 })
})

it('refuses a store of another installation, and changes nothing in it', async () => {
  await using place = await places()
  const original = await smallInstallation(place.from, 'sqlite')
  await backup(original, place.file, withoutKey)
  const other = await installationIn(place.to, 'sqlite')
  const blobs = await selectBlobs(other.blobs)
  await blobs.createMark('owner', 'fedcba9876543210')
  await blobs.put(newBlobKey(1), Readable.from([Buffer.from('x')]))
  const restored = { ...other, database: { kind: 'sqlite', file: join(place.to, 'new.db') } } as const
  await expect(restore(restored, place.file, uninterrupted)).rejects.toThrow(
    'The blob store belongs to the installation',
  )
  await expect(stat(restored.database.file)).rejects.toThrow('ENOENT')
})

it('includes the master key only if asked, and refuses another one', async () => {
  await using place = await places()
  const original = await smallInstallation(place.from, 'sqlite')
  const key = MasterKey.random()
  await createKeyFile(join(place.from, 'master.key'), key)
  await runSql(original.database, `insert into master_key (id, key_id) values (1, '${key.id}')`)
  await backup(original, place.file, withoutKey)
  expect((await readFile(place.file)).includes(key.format())).toBe(false)

  const restored = await installationIn(place.to, 'sqlite')
  await createKeyFile(join(place.to, 'master.key'), MasterKey.random())
  await expect(restore(restored, place.file, uninterrupted)).rejects.toThrow(
    'move the file away, or replace it with that key.',
  )
  await rm(join(place.to, 'master.key'))
  expect((await restore(restored, place.file, uninterrupted)).nextSteps[0]).toContain(
    `Copy the master key ${key.id} to`,
  )

  const withKey = join(place.from, 'with-key.svc')
  await backup(original, withKey, { ...withoutKey, withMasterKey: true })
  await rm(join(place.to, 'svc.db'))
  expect((await restore(restored, withKey, uninterrupted)).nextSteps).toEqual(['Start svc serve.'])
  expect(await readFile(join(place.to, 'master.key'), 'utf8')).toBe(`${key.format()}\n`)
})

it('stops if the master key is replaced meanwhile: its header would have the old one', async () => {
  await using place = await places()
  const original = await smallInstallation(place.from, 'sqlite')
  await runSql(original.database, `insert into master_key (id, key_id) values (1, 'old')`)
  const onProgress = () => {
    const handle = new BetterSqlite(join(place.from, 'svc.db'))
    handle.exec(`update master_key set key_id = 'new'`)
    handle.close()
  }
  await expect(backup(original, place.file, { ...withoutKey, onProgress })).rejects.toThrow(
    'The master key was replaced during the backup',
  )
})

it.each([
  ['rows that a table rejects', `["a@example.com",null]`, 'the database rejects its rows (NOT NULL'],
  ['text in a column of numbers', `["a@example.com","now"]`, 'svc has no table account like that'],
])('refuses an archive with %s, and changes nothing', async (_, line, message) => {
  await using place = await places()
  const rows = [JSON.parse(line) as Row]
  const kinds = rows[0]!.map((value) => (value === 'now' ? 'text' : 'number'))
  const columns = [{ name: 'email', kind: 'text' } as const, { name: 'created_at', kind: kinds[1] ?? 'text' } as const]
  const header = { format: 1, kind: 'backup', svc_version: '', created_at: '', details: {} } as const
  const tables = [{ name: 'account', columns }]
  const writer = await ArchiveWriter.start(await fileOutput(place.file), {
    ...header,
    tables,
    migrations: migrationNames,
    installation_id: '0123456789abcdef',
  })
  await writer.addRows('account', rows)
  await writer.finish()
  const restored = await installationIn(place.to, 'sqlite')
  await expect(restore(restored, place.file, uninterrupted)).rejects.toThrow(message)
  await expect(stat(join(place.to, 'svc.db'))).rejects.toThrow('ENOENT')
})

it.each(databaseKinds)('replaces the certificates of a server that has only started on %s', async (kind) => {
  await using place = await places()
  const original = await smallInstallation(place.from, kind)
  await runSql(original.database, `insert into certificate (names, next_at, failures) values ('["ours.test"]', 7, 1)`)
  await backup(original, place.file, withoutKey)
  const target = await installationIn(place.to, kind)
  await createDatabase(target.database)
  for (const statement of [
    `insert into acme_account (directory, master_key_id, sealed) values ('https://ca.test', 'k', '')`,
    `insert into acme_proof (type, subject, value, expires_at) values ('http-01', 'token', 'value', 1)`,
    `insert into certificate (names, next_at, failures) values ('["other.test"]', 1, 0)`,
  ])
    await runSql(target.database, statement)
  await restore(target, place.file, uninterrupted)
  expect(await rowsAfter('svc restore', target.database)).toEqual(await allRows(original.database))
})

it('keeps a database of the first versions, and one of another program', async () => {
  await using place = await places()
  const { database } = await installationIn(place.from, 'sqlite')
  const original = await smallInstallation(place.to, 'sqlite')
  await backup(original, place.file, withoutKey)
  const file = join(place.from, 'svc.db')
  await migrate('sqlite', new SqliteDialect({ database: new BetterSqlite(file) }), '0003-zone-holders')
  await addAccount(database, 'a@example.com')
  const target = { ...original, database }
  await expect(restore(target, place.file, uninterrupted)).rejects.toThrow('is in use: its table account has rows.')

  await rm(file)
  await runSql(database, 'create table other (a text)')
  await expect(restore(target, place.file, uninterrupted)).rejects.toThrow('has the table other of another program')
})

it('restores the backup of an older version, and migrates it', async () => {
  await using place = await places()
  const original = await installationIn(place.from, 'sqlite')
  const file = join(place.from, 'svc.db')
  await migrate('sqlite', new SqliteDialect({ database: new BetterSqlite(file) }), '0007-sites')
  await runSql(
    original.database,
    `insert into account (email, nickname, password_hash, created_at) values ('a@example.com', '', 'x', 1)`,
  )
  await backup(original, place.file, withoutKey)
  const restored = await installationIn(place.to, 'sqlite')
  await restore(restored, place.file, uninterrupted)
  expect(await addAccount(restored.database, 'b@example.com')).toBe(2)
  expect(await runSql(restored.database, 'select count(*) as count from kysely_migration')).toEqual([
    { count: migrationNames.length },
  ])
})

it.runIf(process.geteuid?.() === 0)('as root, gives all new files to the owner of the data directory', async () => {
  await using place = await places()
  const original = await smallInstallation(place.from, 'sqlite')
  await backup(original, place.file, withoutKey)
  await chown(place.to, 12_345, 12_346)
  const restored = await installationIn(place.to, 'sqlite')
  await restore(restored, place.file, uninterrupted)
  const { key } = (await runSql(restored.database, 'select key from blob'))[0] as { key: string }
  const object = ['files', key.charAt(0), key.charAt(1), key]
  for (const path of [['svc.db'], ...object.map((_, i) => object.slice(0, i + 1)), ['files', 'marks', 'owner']]) {
    const { uid, gid, mode } = await stat(join(place.to, ...path))
    expect([path.join('/'), uid, gid, mode & 0o077]).toEqual([path.join('/'), 12_345, 12_346, 0])
  }
})
