import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { uploadSite, type UploadSite } from '../../../../test/upload-steps.js'

const refusal = (message: RegExp) => ({ code: 'bad_request', message: expect.stringMatching(message) })

describe.each(databaseKinds)('limits of uploads on %s', (kind) => {
  let site: UploadSite
  beforeAll(async () => {
    site = await uploadSite(kind)
  })
  beforeEach(() => site.newAccount())
  afterAll(() => site.stop())

  it('400 bad_request for another upload beyond the open ones, until one is finished', async () => {
    const limits = { ...noLimits, uploadsMax: 1 }
    const { uploadId } = await site.add(null, 0, 'x', limits)
    await expect(site.add(null, 0, 'y', limits)).rejects.toMatchObject(refusal(/1 open uploads/))
    await site.add(uploadId, 1, 'y', limits)
    await site.finalize({ uploadId, parts: 2 })
    await site.add(null, 0, 'z', limits)
  })

  it('400 bad_request for a part beyond the bytes of the account; a smaller one replaces a larger one', async () => {
    const limits = { ...noLimits, bytesMax: 4 }
    const { uploadId } = await site.add(null, 0, 'abcd', limits)
    await expect(site.add(uploadId, 1, 'e', limits)).rejects.toMatchObject(refusal(/uses 4 bytes of 4 bytes/))
    await site.add(uploadId, 0, 'wxyz', limits)
    expect(await site.usage()).toMatchObject({ bytes: 4 })
  })

  it('400 bad_request for a part beyond the files of the account; finalizing needs no further one', async () => {
    const limits = { ...noLimits, filesMax: 2 }
    const { uploadId } = await site.add(null, 0, 'a', limits)
    await site.add(uploadId, 1, 'b', limits)
    await expect(site.add(uploadId, 2, 'c', limits)).rejects.toMatchObject(
      refusal(/has 2 files and parts of uploads, and may have 2\. Delete files, or discard open uploads\.$/),
    )
    expect(await site.finalize({ uploadId, parts: 2 })).toMatchObject({ size: 2 })
    expect(await site.usage()).toMatchObject({ objects: 2 })
  })

  it('400 bad_request for a part that makes the file too large', async () => {
    const limits = { ...noLimits, fileBytesMax: 4 }
    const { uploadId } = await site.add(null, 0, 'abc', limits)
    await expect(site.add(uploadId, 1, 'de', limits)).rejects.toMatchObject(refusal(/a file of 5 bytes/))
    expect((await site.add(uploadId, 1, 'd', limits)).received).toEqual([0, 1])
  })
})
