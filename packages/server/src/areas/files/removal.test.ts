import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { directEdge } from '../../../test/direct-edge.js'
import { noLimits } from '../../../test/file-storage.js'
import { uploadSite, type UploadSite } from '../../../test/upload-steps.js'
import type { ByteHandler, Handler } from '../../http/handler.js'
import { BlobIntake } from '../../ports/blobs/intake.js'
import type { BlobKey, Blobs } from '../../ports/blobs/port.js'
import { unlimitedSpace } from '../../ports/space/port.js'
import { filesArea } from './area.js'
import { uploadLifetimeMs } from './uploads/upload-row-store.js'

/** No answer waits for the removal of objects: a file may have 10,000, and a provider may be slow. */

let site: UploadSite
let area: ReturnType<typeof filesArea>['files']
/** The objects whose removal has begun. It does not end before the tests do. */
let removing: BlobKey[]
let intake: BlobIntake
let release: () => void
beforeAll(async () => {
  site = await uploadSite('sqlite')
  const released = new Promise<void>((resolve) => (release = resolve))
  const log = pino({ level: 'silent' })
  const remove: Blobs['remove'] = async (key) => {
    removing.push(key)
    await released
  }
  intake = new BlobIntake(site.db, { remove } as Blobs, log)
  const { db: database, blobs } = site
  const ports = { database, blobs, intake, edge: directEdge, space: unlimitedSpace, log }
  area = filesArea({ ...ports, limits: noLimits, contentUrl: 'http://content.example' }).files
})
afterAll(async () => {
  release()
  await intake.close()
  await site.stop()
})
beforeEach(() => {
  removing = []
})

const given = (body: object) => ({ params: {}, query: {}, body }) as never
const context = () => ({ account: site.account() }) as never
const call = (handler: unknown, body: object) => (handler as Handler<object>)(given(body), context())

it('a deletion answers before its objects are removed', async () => {
  const { uploadId, key } = await site.add(null, 0, 'a')
  const second = await site.add(uploadId, 1, 'b')
  const { id } = await site.finalize({ uploadId, parts: 2 })
  expect(await call(area.handlers.delete, { id })).toEqual({ id, deleted: true })
  expect(removing).toEqual([key, second.key])
})

it('the answer to a replaced part does not wait for the removal', async () => {
  const { uploadId, key } = await site.add(null, 0, 'a')
  const bytes = { ...(await site.put('b')), keep: () => undefined }
  const { handle } = area.handlers.uploadChunk as unknown as ByteHandler<never>
  const input = { ...(given({ upload_id: uploadId, index: 0 }) as object), bytes }
  expect(await handle(input as never, context())).toMatchObject({ received: [0] })
  expect(removing).toEqual([key])
})

it('a finalize answers before the objects of empty parts are removed', async () => {
  const { uploadId } = await site.add(null, 0, 'a')
  const empty = await site.add(uploadId, 1, '')
  const body = { upload_id: uploadId, name: 'a.txt', parts: 2 }
  expect(await call(area.handlers.uploadFinalize, body)).toMatchObject({ size: 1 })
  expect(removing).toEqual([empty.key])
})

it('the expiry job ends before the objects are removed', async () => {
  const { key } = await site.add(null, 0, 'a')
  vi.setSystemTime(Date.now() + uploadLifetimeMs + 1)
  try {
    for (const job of area.jobs ?? []) await job.run(new AbortController().signal)
  } finally {
    vi.useRealTimers()
  }
  expect(removing).toContain(key)
})
