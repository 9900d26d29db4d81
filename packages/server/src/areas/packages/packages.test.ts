import { json, text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds, type Envelope } from '../../../test/app.js'
import { fileStorage, type FileStorage } from '../../../test/file-storage.js'
import type { Database } from '../../db/port.js'
import { asStream, type Blobs, type Content } from '../../ports/blobs/port.js'
import { packagesArea } from './area.js'
import { artifactStore, type ServedArtifact } from './downloads/artifact-store.js'
import { downloadCounter } from './downloads/count-store.js'
import { HotArtifacts } from './downloads/hot-artifacts.js'
import { packageStore } from './package-store.js'
import { packageBlobOwners } from './storage/owner-store.js'
import { publishStore } from './versions/publish-store.js'
import { versionReader } from './versions/read-store.js'

/** Packages without HTTP: long lists, faults of the database, and copies in memory. */

const limits = { packagesMax: 1_000, versionsMax: 5_000, artifactsMax: 0, artifactBytesMax: 0, bytesMax: 0 }

let site: FileStorage
afterEach(() => site.stop())

const ada = () => site.people[0]!

async function publish(slug: string, version = '1.0.0', names: readonly string[] = ['a.txt']): Promise<string[]> {
  const artifacts = await Promise.all(names.map(async (name) => ({ name, ...(await site.put('hello')) })))
  const given = { version, precedence: version, artifacts }
  await publishStore(site.db, limits).publish(ada(), slug, {}, given, Date.now())
  for (const { key } of artifacts) site.intake.settle(key)
  return artifacts.map(({ key }) => key)
}

const areaWith = (parts: { database?: Database; blobs?: Blobs; log?: string[] } = {}) =>
  packagesArea({
    database: parts.database ?? site.db,
    blobs: parts.blobs ?? site.blobs,
    intake: site.intake,
    limits,
    contentUrl: 'http://content.example',
    log: pino({}, { write: (line: string) => void parts.log?.push(line) }),
  })

const jsonOf = async (answer: unknown) =>
  json((answer as { pieces: AsyncIterable<Buffer> }).pieces) as Promise<Envelope>

describe.each(databaseKinds)('on %s', (kind) => {
  beforeEach(async () => {
    site = await fileStorage(kind)
  })

  it('a list longer than a page has each package once, by slug', async () => {
    const slugs = Array.from({ length: 201 }, (_, index) => `p-${String(index)}${index % 2 ? '' : 'x'}`)
    const artifact = { name: 'a', size: 0, sha256: 'x' }
    const store = publishStore(site.db, limits)
    for (const slug of slugs) {
      const artifacts = [{ ...artifact, ...(await site.put('')) }]
      await store.publish(ada(), slug, {}, { version: '1.0.0', precedence: '1.0.0', artifacts }, 1)
    }
    const pagesRead = vi.spyOn(site.db, 'all')
    const answer = await areaWith().handlers.list({} as never, { account: ada() } as never)
    expect(pagesRead, 'pages before the client reads').toHaveBeenCalledTimes(3)
    const list = await jsonOf(answer)
    expect(pagesRead).toHaveBeenCalledTimes(5)
    pagesRead.mockRestore()
    expect(list['packages'].map(({ slug }: { slug: string }) => slug)).toEqual(slugs.toSorted())
  })

  it('a package with many artifacts is shown whole, and is not found if it is deleted meanwhile', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `a${String(index)}`)
    for (let patch = 0; patch < 12; patch++) await publish('long', `1.0.${String(patch)}`, names)
    const { handlers } = areaWith()
    const read = vi.spyOn(site.db, 'all')
    const answer = await handlers.get({ params: { slug: 'long' } } as never, { account: ada() } as never)
    const before = read.mock.calls.length
    const shown = await jsonOf(answer)
    expect(read.mock.calls.length - before, 'batches while the client reads').toBe(3)
    read.mockRestore()
    expect(shown['versions'].map(({ version }: { version: string }) => version)).toEqual(
      Array.from({ length: 12 }, (_, index) => `1.0.${String(11 - index)}`),
    )
    for (const { artifacts } of shown['versions'])
      expect(artifacts.map(({ name }: { name: string }) => name)).toEqual(names)

    const reading = versionReader(site.db, String)(await packageStore(site.db).get(ada(), 'long'))
    await reading.next()
    await packageStore(site.otherDb).remove(ada(), 'long')
    await expect(reading.next()).rejects.toThrow('There is no package long.')
  })

  it('the owners of objects are artifacts, with the email of their account', async () => {
    const [key = ''] = await publish('owned', '1.0.0', ['a.txt'])
    const { key: unused } = await site.put('unused')
    expect(await packageBlobOwners(site.db, [key, unused])).toEqual(
      new Map([[key, { email: ada().email, kind: 'artifact', name: 'owned/1.0.0/a.txt' }]]),
    )
  })

  it('a version whose objects were stored under an ended lease is refused, and nothing of it is kept', async () => {
    const artifacts = [{ name: 'a', key: `${'0'.repeat(32)}-123`, size: 5, sha256: 'x' }]
    const given = { version: '1.0.0', precedence: '1.0.0', artifacts }
    await expect(publishStore(site.db, limits).publish(ada(), 'late', {}, given, 1)).rejects.toThrow('has expired')
    await expect(packageStore(site.db).get(ada(), 'late')).rejects.toThrow('There is no package')
  })

  it('counts of deleted artifacts are dropped, and those of the others are exact', async () => {
    await publish('kept', '1.0.0', ['a', 'b'])
    await publish('gone')
    const find = (slug: string, name: string) => artifactStore(site.db).find({ slug, version: '1.0.0', name })
    const [a, b, gone] = [await find('kept', 'a'), await find('kept', 'b'), await find('gone', 'a.txt')]
    const counters = [downloadCounter(site.db), downloadCounter(site.otherDb)]
    for (const counter of counters) for (const artifact of [a, a, b, gone]) counter.count(artifact as ServedArtifact)
    await packageStore(site.db).remove(ada(), 'gone')
    await publish('gone', '1.0.1')
    await Promise.all(counters.map(({ flush }) => flush()))
    expect((await packageStore(site.db).get(ada(), 'kept')).downloads).toBe(6)
    expect((await packageStore(site.db).get(ada(), 'gone')).downloads).toBe(0)
    const kept = await areaWith().handlers.get({ params: { slug: 'kept' } } as never, { account: ada() } as never)
    expect((await jsonOf(kept))['versions']).toMatchObject([
      {
        downloads: 6,
        artifacts: [
          { name: 'a', downloads: 4 },
          { name: 'b', downloads: 2 },
        ],
      },
    ])
  })
})

describe('faults', () => {
  beforeEach(async () => {
    site = await fileStorage('sqlite')
  })

  const first = { first: 0, last: 4 }
  const head = {} as never
  const textOf = async (content: Promise<Content>) => text(asStream(await content))
  const served = async (slug: string) => (await artifactStore(site.db).find({ slug, version: '1.0.0', name: 'a.txt' }))!

  it('counts that cannot be saved at the end are logged, and the end does not fail', async () => {
    await publish('counted')
    const log: string[] = []
    const broken = { ...site.db, one: site.db.one.bind(site.db), write: () => Promise.reject(new Error('full')) }
    const area = areaWith({ database: broken as never, log })
    const params = { slug: 'counted', version: '1.0.0', artifact: 'a.txt' }
    const download = await area.content![0]!.answer({ params } as never)
    await (download as { content: { open: (range: object) => Promise<unknown> } }).content.open(first)
    ;(download as { content: { onSent: (bytes: number) => void } }).content.onSent(5)
    await area.close!()
    expect(log.join()).toContain('the download counts of packages could not be saved')
  })

  it('an artifact in memory is no longer served when its package is deleted, also by another process', async () => {
    await publish('hot')
    const counted: ServedArtifact[] = []
    const { blobs } = site
    const { exists } = artifactStore(site.db)
    const hot = new HotArtifacts({ blobs, exists, count: (artifact) => void counted.push(artifact) })
    expect(hot.find('/hot')).toBeUndefined()
    expect(await textOf(hot.open('/hot', await served('hot'), head, first))).toBe('hello')
    const found = await hot.find('/hot')
    expect(String(found?.bytes)).toBe('hello')
    found?.onSent?.(0)
    found?.onSent?.(5)
    expect(counted).toHaveLength(1)
    await packageStore(site.otherDb).remove(ada(), 'hot')
    expect(await hot.find('/hot')).toBeUndefined()
    expect(hot.find('/hot')).toBeUndefined()
  })

  it('requests at the same time read a small artifact once, and get their ranges', async () => {
    await publish('shared')
    let opened = 0
    const blobs = {
      open: (...call: Parameters<Blobs['open']>) => {
        opened++
        return site.blobs.open(...call)
      },
    }
    const hot = new HotArtifacts({ blobs, exists: () => Promise.resolve(true), count: () => undefined })
    const artifact = await served('shared')
    const ranges = [first, { first: 1, last: 2 }, { first: 4, last: 4 }]
    const parts = await Promise.all(ranges.map((range) => textOf(hot.open('/shared', artifact, head, range))))
    expect([parts, opened]).toEqual([['hello', 'el', 'o'], 1])
    expect(await textOf(hot.open('/shared', artifact, head, { first: 0, last: 0 }))).toBe('h')
    expect(opened).toBe(1)
  })

  it('an artifact that cannot be read is read again by the next request', async () => {
    await publish('broken')
    let isBroken = true
    const blobs = {
      open: (...call: Parameters<Blobs['open']>) =>
        isBroken ? Promise.reject(new Error('unplugged')) : site.blobs.open(...call),
    }
    const hot = new HotArtifacts({ blobs, exists: () => Promise.resolve(true), count: () => undefined })
    const artifact = await served('broken')
    await expect(hot.open('/broken', artifact, head, first)).rejects.toThrow('unplugged')
    isBroken = false
    expect(await textOf(hot.open('/broken', artifact, head, first))).toBe('hello')
  })
})
