import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { binDetails, uploadSite, type UploadSite } from '../../../../test/upload-steps.js'
import { prepared } from '../../../db/prepared.js'
import { expiryJob, expiryStore } from './expiry-store.js'
import { finishStore } from './finish-store.js'
import { partStore } from './part-store.js'
import { uploadLifetimeMs } from './upload-row-store.js'

/** The end of uploads that wait for no further part. */

const uploadRow = prepared((db, p: { id: number }) => db.selectFrom('upload').where('id', '=', p.id).select('file_id'))
const blobRow = prepared((db, p: { key: string }) => db.selectFrom('blob').where('key', '=', p.key).select('size'))

describe.each(databaseKinds)('expired uploads on %s', (kind) => {
  let site: UploadSite
  beforeAll(async () => {
    site = await uploadSite(kind)
  })
  afterAll(() => site.stop())

  const later = () => Date.now() + uploadLifetimeMs + 1
  const store = () => expiryStore(site.db)
  const letExpire = async (uploadId: number) => {
    const [now, expired] = [later(), await store().expired(later(), 1000)]
    return store().expire(
      expired.find(({ id }) => id === uploadId)!,
      now,
    )
  }

  it('404 not_found for an expired upload that has not been deleted yet', async () => {
    site.newAccount()
    const { uploadId } = await site.add(null, 0, 'x')
    const { key, size } = await site.put('y')
    vi.setSystemTime(later())
    try {
      const part = { uploadId, index: 1, blob: key, size }
      await expect(partStore(site.db, noLimits).add(site.account(), part)).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(/^The upload \d+ has expired/),
      })
      await expect(site.finalize({ uploadId, parts: 1 })).rejects.toMatchObject({ code: 'not_found' })
      await expect(
        finishStore(site.db).finish(site.account(), uploadId, { ...binDetails, size: 1, sha256: 'x' }, 'y'),
      ).rejects.toMatchObject({ code: 'not_found' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('deletes the parts of an open upload, and its objects', async () => {
    site.newAccount()
    const { uploadId, key } = await site.add(null, 0, 'abc')
    await site.add(uploadId, 1, 'd')
    const keys = await letExpire(uploadId)
    expect(keys).toHaveLength(2)
    expect(keys).toContain(key)
    expect(await site.db.one(blobRow, { key })).toBeUndefined()
    expect(await site.usage()).toEqual({ files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 })
    await expect(site.add(uploadId, 2, 'e')).rejects.toMatchObject({ code: 'not_found' })
    expect(await store().expire({ accountId: site.account().id, id: uploadId }, later())).toEqual([])
  })

  it('keeps the file of a finished upload', async () => {
    site.newAccount()
    const { uploadId } = await site.add(null, 0, 'abc')
    const file = await site.finalize({ uploadId, parts: 1 })
    expect(await letExpire(uploadId)).toEqual([])
    expect(await site.db.one(uploadRow, { id: uploadId })).toBeUndefined()
    expect(await site.contents(file)).toBe('abc')
    expect(await site.usage()).toEqual({ files: 1, shared: 0, bytes: 3, uploads: 0, objects: 1 })
  })

  it('keeps an upload that got a part since it was found', async () => {
    site.newAccount()
    const { uploadId } = await site.add(null, 0, 'abc')
    expect(await store().expire({ accountId: site.account().id, id: uploadId }, Date.now())).toEqual([])
    expect(await site.finalize({ uploadId, parts: 1 })).toMatchObject({ size: 3 })
  })

  it('the job deletes all expired uploads and no other, and stops when the server does', async () => {
    site.newAccount()
    const first = await site.add(null, 0, 'a')
    const second = await site.add(null, 0, 'b')
    const job = expiryJob(store(), (keys) => {
      site.intake.remove(keys)
    })
    await job.run(new AbortController().signal)
    expect(await site.usage()).toMatchObject({ uploads: 2 })
    vi.setSystemTime(later())
    try {
      const stopping = new AbortController()
      stopping.abort()
      await job.run(stopping.signal)
      expect(await site.usage()).toMatchObject({ uploads: 2 })
      await job.run(new AbortController().signal)
    } finally {
      vi.useRealTimers()
    }
    expect(await site.usage()).toMatchObject({ uploads: 0, bytes: 0 })
    await expect.poll(site.stored).not.toContain(first.key)
    await expect.poll(site.stored).not.toContain(second.key)
  })
})

it('an upload that cannot be deleted does not keep the job from the others, and fails the run', async () => {
  const uploads = [1, 2, 3].map((id) => ({ id, accountId: 1 }))
  const deleted: number[] = []
  const expire = ({ id }: { readonly id: number }) => {
    if (id === 1) return Promise.reject(new Error('locked'))
    deleted.push(id)
    return Promise.resolve([])
  }
  const job = expiryJob({ expired: () => Promise.resolve(uploads), expire }, () => undefined)
  await expect(job.run(new AbortController().signal)).rejects.toThrow('locked')
  expect(deleted).toEqual([2, 3])
})
