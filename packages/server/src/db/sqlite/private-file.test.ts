import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { accountStore } from '../../areas/account/accounts/store.js'
import { openSqliteDatabase } from './sqlite.js'

let folder: string
let file: string
let umask: number
beforeEach(async () => {
  // A directory that exists, and a umask with which new files are readable for all users.
  umask = process.umask(0o022)
  folder = await mkdtemp(join(tmpdir(), 'svc-private-'))
  await chmod(folder, 0o755)
  file = join(folder, 'svc.db')
})
afterEach(async () => {
  process.umask(umask)
  await rm(folder, { recursive: true })
})

/** The modes of all files in a folder and its subfolders, by name. */
async function modes(of = folder): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(of, { withFileTypes: true })) {
    found[entry.name] = ((await stat(join(of, entry.name))).mode & 0o777).toString(8)
    if (entry.isDirectory()) Object.assign(found, await modes(join(of, entry.name)))
  }
  return found
}

it('only the owner can access the database, its -wal, its -shm and its lock files', async () => {
  const db = await openSqliteDatabase(file)
  await accountStore(db).add({ email: 'a@example.com', nickname: '', passwordHash: 'x', now: 1 })
  await db.withLock('a.example', async () => undefined)
  const { 'svc.db-locks': directory, ...files } = await modes()
  expect(directory).toBe('700')
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['svc.db', 'svc.db-shm', 'svc.db-wal']))
  expect(Object.keys(files)).toHaveLength(5)
  expect(new Set(Object.values(files))).toEqual(new Set(['600']))
  await db.close()
})

it('the next start removes the access of other users from a database and from a -wal that a crash left', async () => {
  await (await openSqliteDatabase(file)).close()
  await writeFile(`${file}-wal`, '')
  for (const name of [file, `${file}-wal`]) await chmod(name, 0o644)
  const db = await openSqliteDatabase(file)
  expect(new Set(Object.values(await modes()))).toEqual(new Set(['600']))
  await db.close()
})

it('a database that only its owner can read keeps its mode', async () => {
  await (await openSqliteDatabase(file)).close()
  await chmod(file, 0o400)
  await (await openSqliteDatabase(file).catch(() => undefined))?.close()
  expect(await modes()).toMatchObject({ 'svc.db': '400' })
})
