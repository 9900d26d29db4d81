import { Readable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { directEdge } from '../../../../test/direct-edge.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import { asStream, StorageError } from '../../../ports/blobs/port.js'
import type { Edge } from '../../../ports/edge/port.js'
import { unlimitedSpace } from '../../../ports/space/port.js'
import { filesArea } from '../area.js'
import { newShareKey } from '../files/file.js'
import { etagOf } from '../files/presenter.js'
import { fileStore } from '../files/store.js'
import { cdnStore } from './cdn-store.js'

/** What a request for a share link counts, from the answer to the database. */

let site: FileStorage
let edge: Edge
let log: string[]
let isHit: boolean
beforeEach(async () => {
  site = await fileStorage('sqlite')
  log = []
  isHit = false
  edge = { ...directEdge, open: async (object, range) => ({ bytes: await object.fetch(range), isHit }) }
})
afterEach(() => site.stop())

const areaWith = (part: Edge = edge) => {
  const { db: database, blobs, intake } = site
  const logger = pino({}, { write: (line: string) => void log.push(line) })
  const parts = { database, blobs, intake, edge: part, space: unlimitedSpace, log: logger }
  return filesArea({ ...parts, limits: noLimits, contentUrl: 'http://content.example' })
}

async function create(name = 'a.txt', mediaType = 'text/plain') {
  const { key, size, sha256 } = await site.put('hello')
  const file = await fileStore(site.db, noLimits).create(site.people[0]!, {
    name,
    mediaType,
    shareKey: newShareKey(),
    size,
    sha256,
    blob: key,
  })
  return { ...file, shareKey: file.shareKey! }
}

const answer = async (area: ReturnType<typeof filesArea>, key: string) =>
  (await area.files.content![0]!.answer({ params: { key, name: 'any' } } as never))?.content

const countsOf = async () => {
  const { entries } = await cdnStore(site.db).list(site.people[0]!, { limit: 1, before: Number.MAX_SAFE_INTEGER })
  return entries[0]!.traffic
}
const flush = (area: ReturnType<typeof filesArea>) => area.cdn.jobs![0]!.run(new AbortController().signal)

it('a request counts as hit or miss, with the bytes that were sent', async () => {
  const area = areaWith()
  const { shareKey } = await create()
  for (const hit of [false, true, true]) {
    isHit = hit
    const content = (await answer(area, shareKey))!
    asStream(await content.open({ first: 0, last: 4 })).destroy()
    content.onSent!(5)
  }
  await flush(area)
  expect(await countsOf()).toEqual({ requests: 3, hits: 2, misses: 1, bytesServed: 15 })
})

it('a request without bytes, such as HEAD, is neither hit nor miss', async () => {
  const area = areaWith()
  const { shareKey } = await create()
  ;(await answer(area, shareKey))!.onSent!(0)
  await flush(area)
  expect(await countsOf()).toEqual({ requests: 1, hits: 0, misses: 0, bytesServed: 0 })
})

it('a request for several ranges is a miss if one of them was fetched', async () => {
  const area = areaWith()
  const { shareKey } = await create()
  const content = (await answer(area, shareKey))!
  for (const hit of [false, true]) {
    isHit = hit
    asStream(await content.open({ first: 0, last: 0 })).destroy()
  }
  content.onSent!(2)
  await flush(area)
  expect(await countsOf()).toEqual({ requests: 1, hits: 0, misses: 1, bytesServed: 2 })
})

it('a request whose bytes cannot be opened, or end before the first one, is not counted', async () => {
  const away = new StorageError('away')
  const { shareKey } = await create()
  for (const open of [() => Promise.reject(away), async () => ({ bytes: Readable.from([]), isHit: false })]) {
    const area = areaWith({ ...edge, open })
    const content = (await answer(area, shareKey))!
    await content.open({ first: 0, last: 4 }).catch((error: unknown) => expect(error).toBe(away))
    content.onSent!(0)
    await flush(area)
  }
  expect(await countsOf()).toEqual({ requests: 0, hits: 0, misses: 0, bytesServed: 0 })
})

it('a server that does not see all requests counts none', async () => {
  const { shareKey } = await create()
  expect((await answer(areaWith({ ...edge, seesAllRequests: false }), shareKey))!.onSent).toBeUndefined()
})

it('counts are saved at the stop; if that fails, it is logged', async () => {
  const area = areaWith()
  const { shareKey } = await create()
  ;(await answer(area, shareKey))!.onSent!(1)
  const write = vi.spyOn(site.db, 'write').mockRejectedValueOnce(new Error('the database is gone'))
  await area.cdn.close!()
  expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'the request counts of shared files could not be saved',
  ])
  write.mockRestore()
  await area.cdn.close!()
  expect(await countsOf()).toMatchObject({ requests: 1, bytesServed: 1 })
})

it('tells the edge the version and the time to live, and browsers how to show it', async () => {
  const seen: unknown[] = []
  const area = areaWith({
    ...edge,
    open: (object, range) => {
      seen.push(object)
      return edge.open(object, range)
    },
    headers: ({ fileId, ttl }) => ({ 'x-edge': `${fileId} ${ttl}` }),
  })
  const file = await create('a.html', 'text/html')
  const content = (await answer(area, file.shareKey))!
  expect(content).toMatchObject({
    size: 5,
    etag: etagOf(file),
    lastModified: file.updatedAt,
    mediaType: 'text/html; charset=utf-8',
    name: 'a.html',
    disposition: 'attachment',
    headers: { 'x-edge': `${file.id} 3600` },
  })
  asStream(await content.open({ first: 0, last: 4 })).destroy()
  expect(seen).toEqual([{ fileId: file.id, version: 1, size: 5, ttl: 3600, fetch: expect.any(Function) }])
})

it('there is no answer for an unknown key, and for a file that is not served', async () => {
  const area = areaWith()
  const { id, shareKey } = await create()
  expect(await answer(area, 'x')).toBeUndefined()
  await cdnStore(site.otherDb).configure(site.people[0]!, id, { isServed: false })
  expect(await answer(area, shareKey)).toBeUndefined()
})
