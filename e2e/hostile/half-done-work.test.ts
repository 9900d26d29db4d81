import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { start, svcProcess, type Place } from '../../packages/cli/test/svc.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { addAccount, createDatabase, emptyFolder } from '../../packages/server/test/database-rows.js'
import { installationIn, readObject } from '../../packages/server/test/installation.js'
import { runSql } from '../../packages/server/test/site.js'
import { backup } from '../../packages/server/src/commands/backup.js'
import { openDiskBlobs } from '../../packages/server/src/ports/blobs/disk/disk-blobs.js'
import { freshPostgres } from '../../test/servers/index.js'

/** A command that fills a store removes what is half done at a signal, and never takes damaged bytes for whole ones after a kill. */

const key = `${'a'.repeat(32)}-7`
const whole = Buffer.alloc(6_000_000, 'the bytes of an object ')

/** The names of the files in a folder, without the marks of the store. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && basename(entry.parentPath) !== 'marks')
    .map(({ name }) => name)
    .toSorted()
}

/** An installation with one object, its backup, and a folder for another installation. */
async function archived() {
  const folder = await emptyFolder()
  const config = await installationIn(folder.path, 'sqlite')
  await createDatabase(config.database)
  await addAccount(config.database, 'ada@example.com')
  const blobs = await openDiskBlobs(join(folder.path, 'files'))
  await blobs.put(key, Readable.from([whole]))
  await runSql(config.database, `insert into blob (key, size) values ('${key}', ${String(whole.length)})`)
  const file = join(folder.path, 'a.svc')
  await backup(config, file, { onProgress: () => undefined, withMasterKey: false })
  const data = join(folder.path, 'other')
  await mkdir(data)
  return { ...folder, file, data, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

/** Starts `svc restore -`, gives it a part of an archive that ends within the object, and waits until that part is stored. */
async function startRestore(place: Place, { file, data }: { file: string; data: string }) {
  const child = start(['restore', '-', '--data', data], place)
  const ended = once(child, 'close')
  child.stdin.on('error', () => undefined)
  child.stdin.write((await readFile(file)).subarray(0, 4_000_000))
  await expect.poll(() => filesIn(data).catch(() => []), { timeout: 20_000 }).toContain(key)
  return { child, ended }
}

it.each(databaseKinds)(
  'svc restore to %s removes what is half done at SIGTERM, and replaces damaged bytes after kill -9',
  async (kind) => {
    await using place = await archived()
    const env = kind === 'sqlite' ? {} : { SVC_DATABASE: await freshPostgres() }
    const svc = { cwd: place.path, env }
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      const { child, ended } = await startRestore(svc, place)
      child.kill(signal)
      await ended
      expect([child.signalCode, await filesIn(place.data)]).toEqual([signal, []])
    }

    const killed = await startRestore(svc, place)
    killed.child.kill('SIGKILL')
    await killed.ended
    // The object has its size, as after a restore of a damaged archive that was killed before the checksums.
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(0, 5_999_999)
    await writeFile(join(place.data, 'files', 'a', 'a', key), damaged)
    expect(await svcProcess(['restore', place.file, '--data', place.data], svc)).toMatchObject({ code: 0 })
    const blobs = await openDiskBlobs(join(place.data, 'files'))
    expect((await readObject(blobs, key, whole.length)).equals(whole)).toBe(true)
    expect((await filesIn(join(place.data, 'files'))).filter((name) => name !== key)).toEqual([])
  },
)
