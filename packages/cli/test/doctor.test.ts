import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freshPostgres, startSwift, type Swift } from '../../../test/servers/index.js'
import type { DatabaseConfig } from '../../server/src/db/connect.js'
import { newBlobKey, type Blobs } from '../../server/src/ports/blobs/port.js'
import { selectBlobs } from '../../server/src/ports/blobs/select.js'
import { runSql } from '../../server/test/site.js'
import { serveIn } from './serving.js'
import { emptyPlace, svc, type Place } from './svc.js'

// Some commands start a process, and Swift several.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const email = 'ada@example.com'

let swift: Swift
beforeAll(async () => {
  swift = await startSwift()
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await swift.stop()
})

interface Installation {
  readonly place: Place & AsyncDisposable
  readonly database: DatabaseConfig
  readonly blobs: Blobs
}

const kinds: Record<string, () => Promise<Installation>> = {
  'SQLite and a disk': async () => {
    const place = await emptyPlace()
    const database: DatabaseConfig = { kind: 'sqlite', file: join(place.cwd, 'data', 'svc.db') }
    return { place, database, blobs: await selectBlobs({ kind: 'disk', folder: join(place.cwd, 'data', 'files') }) }
  },
  'PostgreSQL and a bucket': async () => {
    const bucket = await swift.createBucket()
    const database: DatabaseConfig = { kind: 'postgres', url: await freshPostgres() }
    const env = {
      SVC_DATABASE: database.url,
      SVC_BLOBS: `s3://${bucket}?endpoint=${swift.url}`,
    }
    return {
      place: { ...(await emptyPlace()), env },
      database,
      blobs: await selectBlobs({ kind: 's3', bucket, endpoint: swift.url }),
    }
  },
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const keysIn = async (blobs: Blobs) => {
  const keys: string[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys
}

/** In base64. Smaller files are in the database. */
const tenKilobytes = Buffer.alloc(10_000, 'x').toString('base64')

/** The lines of a section, without indentation. */
function linesUnder(title: string, { stdout }: { stdout: string }): string[] {
  const lines = stdout.split('\n')
  const after = lines.slice(lines.indexOf(title) + 1)
  const end = after.findIndex((line) => !line.startsWith(' '))
  return after.slice(0, end).map((line) => line.trim().replace(/^(ok|warning|error) +/, '$1 '))
}

const storedFiles = (result: { stdout: string }) => linesUnder('Stored files', result)

const withStatus = (status: string, lines: string[]) => lines.filter((line) => line.startsWith(`${status} `))

describe.each(Object.keys(kinds))('svc doctor on %s', (kind) => {
  it('beside a running server, names the owners of lost bytes, and objects that the sweep will remove', async () => {
    const { place, blobs, database } = await kinds[kind]!()
    await using _ = place
    const doctor = (...flags: string[]) => svc(['doctor', ...flags], place)
    await svc(['user', 'add', email], place)
    const token = (await svc(['token', 'add', email, '--name', 'ci', '--scope', 'files:write'], place)).stdout.trim()
    await using server = await serveIn(place)
    /** @returns the key of the object that the request has stored */
    const send = async (path: string, body: object) => {
      const before = new Set(await keysIn(blobs))
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}/v1/files/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ content: tenKilobytes, ...body }),
      })
      expect(answer.status).toBe(200)
      return (await keysIn(blobs)).find((key) => !before.has(key))!
    }
    const first = await doctor()
    expect(first.code).toBe(0)
    expect(storedFiles(first)).toEqual(['ok Checked 0 rows and 0 objects.'])
    expect(withStatus('ok', linesUnder('Database', first))).toHaveLength(2)
    // The server of the tests does not wait for its disk.
    expect(withStatus('warning', linesUnder('Database', first)).join()).toMatch(
      /^(?:warning PostgreSQL runs with .*off.*)?$/,
    )
    expect(withStatus('warning', linesUnder('Clock', first))).toEqual([])
    const lost = await send('upload', { name: 'a.txt' })
    const longer = await send('upload', { name: 'b.txt' })
    const part = await send('upload-chunk', { index: 0 })

    const orphan = newBlobKey(999)
    await runSql(database, 'insert into blob_writer_ended (id) values (999)')
    await blobs.put(orphan, bytesOf('x'))
    const unknown = newBlobKey(998)
    await blobs.put(unknown, bytesOf('x'))
    const other = await doctor()
    expect(other.code).toBe(0)
    expect(storedFiles(other)).toEqual([
      'ok Checked 3 rows and 5 objects.',
      'warning 1 object has no row: their process was ended before it could remove them.',
      orphan,
      'A running server removes them within about an hour. If none runs, start it: svc serve.',
      expect.stringContaining('warning 1 object has no row here, but another copy of the database may have one, '),
      unknown,
      expect.stringMatching(
        `^If you do not need that copy, delete them: (?:rm /\\S+/${unknown}|aws s3 rm s3://\\S+/${unknown} --endpoint-url http://\\S+)$`,
      ),
    ])

    await blobs.remove(lost)
    await blobs.remove(part)
    await blobs.remove(longer)
    await blobs.put(longer, bytesOf('hello, world'))
    const wrong = await doctor()
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/^svc: svc doctor has found 2 errors/) })
    const lines = storedFiles(wrong)
    expect(lines).toContain('error 2 rows have no object.')
    expect(lines).toContain('Restore it from a backup, or tell the owner that the bytes are lost.')
    expect(lines).toContain(`${lost}: 10000 bytes of the file 1 of ${email}`)
    expect(lines).toContain(`${part}: 10000 bytes of the unfinished upload 1 of ${email}`)
    expect(lines).toContain('error 1 row has an object of another size.')
    expect(lines).toContain(`${longer}: 10000 bytes of the file 2 of ${email}, but 12 stored`)

    const { code, stdout } = await doctor('--json')
    const json = JSON.parse(stdout)
    expect(code).toBe(1)
    const owner = { kind: 'file', email, size: 10_000 }
    expect(json).toEqual({
      ok: false,
      findings: expect.any(Array),
      rows: {
        count: 3,
        missing: { count: 2, first: expect.arrayContaining([{ ...owner, key: lost, name: '1' }]) },
        other_size: { count: 1, first: [{ ...owner, key: longer, name: '2', object_size: 12 }] },
        unknown: { count: 0, first: [] },
      },
      objects: {
        count: 3,
        uploading: { count: 0, first: [] },
        orphans: { count: 1, first: [orphan] },
        later_state: { count: 1, first: [unknown] },
        other_names: { count: 0, first: [] },
      },
    })
    expect(json.rows.missing.first).toContainEqual({ ...owner, key: part, kind: 'upload', name: '1' })
    expect(json.findings).toContainEqual({
      section: 'blobs',
      status: 'error',
      message: '2 rows have no object.',
      details: expect.any(Array),
      remedy: 'Restore it from a backup, or tell the owner that the bytes are lost.',
    })
    // It changed nothing: the orphan is still there.
    expect(await blobs.sizeOf(orphan)).toBe(1)
    await blobs.close()
  })
})

describe('svc doctor', () => {
  it('finds nothing wrong while files are uploaded, replaced and deleted', { timeout: 60_000 }, async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const token = (await svc(['token', 'add', email, '--name', 'x', '--scope', 'files:write'], place)).stdout.trim()
    await using server = await serveIn(place)
    const send = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${server.url}/v1/files/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect(answer.status).toBe(200)
      return ((await answer.json()) as { data: Record<string, number> }).data
    }
    let isOver = false
    let changes = 0
    const client = async () => {
      const content = tenKilobytes
      const { upload_id } = await send('upload-chunk', { index: 0, content })
      for (; !isOver; changes++) {
        const { id } = await send('upload', { name: 'a', content })
        await send('upload-chunk', { upload_id, index: 0, content })
        await send('delete', { id })
      }
    }
    const clients = Promise.all(Array.from({ length: 8 }, client))
    for (let run = 0; run < 2; run++) {
      const before = changes
      const { code, ...printed } = await svc(['doctor'], place)
      expect({ code, errors: withStatus('error', storedFiles(printed)) }).toEqual({ code: 0, errors: [] })
      expect(storedFiles(printed)[0]).toMatch(/^ok Checked \d+ rows/)
      await expect.poll(() => changes).toBeGreaterThan(before)
    }
    isOver = true
    await clients
  })

  it('reports the store of another installation, and settings that do not work together', async () => {
    await using place = await emptyPlace()
    await using other = await emptyPlace()
    await svc(['user', 'add', email], place)
    await svc(['user', 'add', email], other)
    {
      await using server = await serveIn(other)
      const token = (await svc(['token', 'add', email, '--name', 'x', '--scope', 'files:write'], other)).stdout.trim()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'a', content: tenKilobytes })
      await fetch(`${server.url}/v1/files/upload`, { method: 'POST', headers, body })
      await server.stop()
    }
    const blobs = `file:${join(other.cwd, 'data', 'files')}`
    const { code, ...printed } = await svc(['doctor', '--blobs', blobs, '--geo-header', 'X-Country'], place)
    expect(code).toBe(1)
    expect(linesUnder('Settings', printed)[0]).toMatch(/^error SVC_GEO_HEADER is x-country, but /)
    expect(storedFiles(printed)[0]).toMatch(
      /^error The blob store belongs to the installation [0-9a-f]{16} of svc, and this is [0-9a-f]{16}\.$/,
    )
  })

  it('makes no directory, and reports one that is missing or empty', async () => {
    await using place = await emptyPlace()
    await svc(['user', 'add', email], place)
    const missing = join(place.cwd, 'typo')
    const unmade = await svc(['doctor', '--blobs', `file:${missing}`], place)
    expect(unmade.code).toBe(1)
    expect(storedFiles(unmade)[0]).toBe(
      `error The directory of the files, ${missing}, cannot be opened: the file or its directory is missing.`,
    )
    expect(existsSync(missing)).toBe(false)

    await mkdir(missing)
    const empty = await svc(['doctor', '--blobs', `file:${missing}`], place)
    expect(empty.code).toBe(1)
    expect(storedFiles(empty)).toContain(
      'error The directory of the files cannot be read: the file or its directory is missing.',
    )
    expect(await readdir(missing)).toEqual([])
  })

  it('checks the rest without a database', async () => {
    await using place = await emptyPlace()
    const { code, ...printed } = await svc(['doctor', '--zone', 'example.com', '--resolvers', '127.0.0.1:9'], place)
    expect(code).toBe(1)
    expect(linesUnder('Database', printed)[0]).toMatch(/^error There is no database sqlite:/)
    expect(linesUnder('Disk space', printed)).not.toEqual([])
    expect(await readdir(place.cwd)).toEqual([])
  })

  it.each([
    ['an invalid setting', ['--port', 'x']],
    ['a zone that is not a name', ['--zone', 'a..b']],
    ['one zone and all zones', ['--zone', 'example.com', '--all-zones']],
  ])('exits with code 2 for %s', async (_, flags) => {
    await using place = await emptyPlace()
    expect(await svc(['doctor', ...flags], place)).toMatchObject({ code: 2, stdout: '' })
    expect(await readdir(place.cwd)).toEqual([])
  })
})
