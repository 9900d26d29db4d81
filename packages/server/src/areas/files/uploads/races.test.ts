import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Account } from '../../../shared/account.js'
import { newShareKey } from '../files/file.js'
import { fileList } from '../files/read-store.js'
import { fileStore } from '../files/store.js'
import { Digests } from '../contents/digest.js'
import { usageStore } from '../storage/usage-store.js'
import { finalizer } from './finalize.js'
import { finishStore } from './finish-store.js'
import { partStore } from './part-store.js'

/** Two processes that work on the files of one account at once. */

const details = { name: 'a', mediaType: 'text/plain', shareKey: null }

describe.each(databaseKinds)('in two processes on %s', (kind) => {
  let site: FileStorage
  let account: Account
  let nextAccount = 0
  beforeAll(async () => {
    site = await fileStorage(kind)
  })
  afterAll(() => site.stop())

  const newAccount = () => (account = site.people[nextAccount++] as Account)
  const dbOf = (i: number) => (i % 2 === 0 ? site.db : site.otherDb)
  const times = <R>(count: number, work: (i: number) => Promise<R>) =>
    Promise.allSettled(Array.from({ length: count }, (_, i) => work(i)))
  const accepted = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'fulfilled').length
  const codesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
    new Set(
      results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as { code: string }).code] : [])),
    )
  const usage = () => usageStore(site.db).of(account)

  const addPart = async (i: number, uploadId: number | null, index: number, content: string, limits = noLimits) => {
    const { key, size } = await site.put(content)
    return partStore(dbOf(i), limits).add(account, { uploadId, index, blob: key, size })
  }
  const finalize = (i: number, uploadId: number, parts: number) =>
    finalizer({
      uploads: finishStore(dbOf(i)),
      blobs: site.blobs,
      digests: new Digests(),
      removeBlobs: (keys) => {
        site.intake.remove(keys)
      },
    })(account, { uploadId, parts, sha256: undefined, details })

  it('files do not exceed the bytes of the account', async () => {
    newAccount()
    const limits = { ...noLimits, bytesMax: 70 }
    const results = await times(20, async (i) => {
      const { key, size, sha256 } = await site.put('0123456789')
      return fileStore(dbOf(i), limits).create(account, { ...details, size, sha256, blob: key })
    })
    expect([accepted(results), [...codesOf(results)]]).toEqual([7, ['bad_request']])
    expect(await usage()).toEqual({ files: 7, shared: 0, bytes: 70, uploads: 0, objects: 7 })
  })

  it('uploads do not exceed the open ones, nor their parts the bytes', async () => {
    newAccount()
    const opened = await times(20, (i) => addPart(i, null, 0, 'x', { ...noLimits, uploadsMax: 5 }))
    expect([accepted(opened), [...codesOf(opened)]]).toEqual([5, ['bad_request']])
    const { uploadId } = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))[0]!
    const parts = await times(20, (i) => addPart(i, uploadId, i + 1, '0123456789', { ...noLimits, bytesMax: 45 }))
    expect([accepted(parts), [...codesOf(parts)]]).toEqual([4, ['bad_request']])
    expect(await usage()).toEqual({ files: 0, shared: 0, bytes: 45, uploads: 5, objects: 9 })
  })

  it('files and parts do not exceed the limit of the account, and a part can be sent again', async () => {
    newAccount()
    const limits = { ...noLimits, filesMax: 6 }
    const { uploadId } = await addPart(0, null, 0, 'x', limits)
    const parts = await times(20, (i) => addPart(i, uploadId, i, 'x', limits))
    const files = await times(4, async (i) => {
      const { sha256 } = await site.put('')
      return fileStore(dbOf(i), limits).create(account, { ...details, size: 0, sha256, blob: null })
    })
    expect([accepted(parts), accepted(files)]).toEqual([6, 0])
    expect([...codesOf(parts), ...codesOf(files)]).toEqual(['bad_request', 'bad_request'])
    const { received } = await addPart(0, uploadId, 0, 'y', limits)
    expect(received).toHaveLength(6)
    expect(await usage()).toMatchObject({ objects: 6 })
  })

  it('parts of one upload are all received', async () => {
    newAccount()
    const { uploadId } = await addPart(0, null, 0, 'x')
    const results = await times(40, (i) => addPart(i, uploadId, i, String(i % 10)))
    expect(accepted(results)).toBe(40)
    const { received } = await addPart(0, uploadId, 0, '0')
    expect(received).toEqual(Array.from({ length: 40 }, (_, i) => i))
    expect(await usage()).toMatchObject({ bytes: 40 })
    expect(await finalize(0, uploadId, 40)).toMatchObject({ size: 40 })
  })

  it('finalizing one upload makes one file', async () => {
    newAccount()
    const { uploadId } = await addPart(0, null, 0, 'x')
    await addPart(1, uploadId, 1, 'y')
    const results = await times(20, (i) => finalize(i, uploadId, 2))
    const ids = results.map((result) => (result.status === 'fulfilled' ? result.value.id : result.reason))
    expect(new Set(ids).size).toBe(1)
    const { entries } = await fileList(site.db)(account, { limit: 10, before: Number.MAX_SAFE_INTEGER })
    expect(entries.map(({ id }) => id)).toEqual([ids[0]])
    expect(await usage()).toEqual({ files: 1, shared: 0, bytes: 2, uploads: 0, objects: 2 })
  })

  it('uploads, finalizes, changes and deletions wait for each other without a deadlock', async () => {
    newAccount()
    const one = async (i: number) => {
      const { uploadId } = await addPart(i, null, 0, 'abc')
      await Promise.all([addPart(i, uploadId, 0, 'xyz'), addPart(i + 1, uploadId, 1, '!')])
      const files = [fileStore(dbOf(i), noLimits), fileStore(dbOf(i + 1), noLimits)] as const
      const [{ id }] = await Promise.all([finalize(i, uploadId, 2), finalize(i + 1, uploadId, 2)])
      await Promise.all([
        files[0].change(account, id, { name: 'b', shareKey: newShareKey() }),
        files[1].change(account, id, { shareKey: null }),
      ])
      await files[0].change(account, id, { shareKey: null })
      return Promise.allSettled([files[0].remove(account, id), files[1].remove(account, id)])
    }
    const results = await times(12, one)
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
    expect(reasons).toEqual([])
    const removals = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    expect([accepted(removals), [...codesOf(removals)]]).toEqual([12, ['not_found']])
    expect(await usage()).toEqual({ files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 })
  })
})
