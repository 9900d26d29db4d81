import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Account } from '../../../shared/account.js'
import { newShareKey } from '../files/file.js'
import { sharedFile } from '../files/read-store.js'
import { fileStore, type FileStore } from '../files/store.js'
import { cdnStore, type CdnStore } from './cdn-store.js'
import type { Traffic } from './traffic-counts.js'
import { trafficStore } from './traffic-store.js'

/** Settings and counts of shared files in the database. */

describe.each(databaseKinds)('shared files on %s', (kind) => {
  let site: FileStorage
  let files: FileStore
  let cdn: CdnStore
  let account: Account
  let other: Account
  let nextAccount = 0
  beforeAll(async () => {
    site = await fileStorage(kind)
    files = fileStore(site.db, noLimits)
    cdn = cdnStore(site.db)
    other = newAccount()
    account = newAccount()
  })
  afterAll(() => site.stop())

  const newAccount = () => site.people[nextAccount++] as Account

  const create = (shareKey: string | null = newShareKey(), owner = account) =>
    files.create(owner, { name: 'a', mediaType: 'text/plain', shareKey, size: 0, sha256: 'x', blob: null })

  const list = async (limit = 1000, before = Number.MAX_SAFE_INTEGER, owner = account) =>
    cdn.list(owner, { limit, before })
  const countsOf = async (id: number) => (await list()).entries.find((file) => file.id === id)?.traffic

  const none: Traffic = { requests: 0, hits: 0, misses: 0, bytesServed: 0 }

  it('shared files are found by their key, until they are unshared', async () => {
    const find = sharedFile(site.otherDb)
    const file = await create()
    expect(file.shareKey).toMatch(/^[\w-]{22}$/)
    expect(await find(file.shareKey!)).toEqual(file)
    for (const key of ['', file.shareKey!.slice(1), `${file.shareKey!}A`, file.shareKey!.toLowerCase()])
      expect(await find(key), key).toBeUndefined()
    await files.change(account, file.id, { shareKey: null })
    expect(await find(file.shareKey!)).toBeUndefined()
  })

  it('shared files are listed newest first, page by page, for their account only', async () => {
    account = newAccount()
    const ids: number[] = []
    for (let i = 0; i < 3; i++) {
      ids.unshift((await create()).id)
      await create(null)
      await create(newShareKey(), other)
    }
    const page = async (limit: number, before?: number) => {
      const { entries, next } = await list(limit, before)
      return [entries.map(({ id }) => id), next]
    }
    expect(await page(3)).toEqual([ids, null])
    expect(await page(2)).toEqual([ids.slice(0, 2), ids[1]])
    expect(await page(2, ids[1])).toEqual([ids.slice(2), null])
    expect((await list()).entries[0]).toMatchObject({ edgeTtl: 3600, isServed: true, traffic: none })
  })

  it('config changes the supplied settings; each change is a new version', async () => {
    const { id, edgeVersion, updatedAt } = await create()
    expect(await cdn.configure(account, id, { edgeTtl: 0 })).toMatchObject({
      edgeTtl: 0,
      isServed: true,
      edgeVersion: 2,
    })
    expect(await cdn.configure(account, id, { isServed: false })).toMatchObject({
      edgeTtl: 0,
      isServed: false,
      edgeVersion: 3,
    })
    const again = await cdn.configure(account, id, { edgeTtl: 0, isServed: false })
    expect(again).toMatchObject({ edgeVersion: 3, traffic: none })
    expect(await cdn.configure(account, id, {})).toEqual(again)
    expect(edgeVersion).toBe(1)
    expect(await files.get(account, id)).toMatchObject({ edgeTtl: 0, isServed: false, edgeVersion: 3, updatedAt })
  })

  it('purge is a new version each time', async () => {
    const { id } = await create()
    expect(await cdn.purge(account, id)).toBe(2)
    expect(await cdn.purge(account, id)).toBe(3)
    expect(await files.get(account, id)).toMatchObject({ edgeVersion: 3, isServed: true })
  })

  it('400 bad_request for a file that is not shared, 403 for one of another account, 404 for an unknown id', async () => {
    const [plain, theirs] = [await create(null), await create(newShareKey(), other)]
    for (const call of [
      (id: number) => cdn.configure(account, id, { edgeTtl: 5 }),
      (id: number) => cdn.purge(account, id),
    ]) {
      await expect(call(plain.id)).rejects.toMatchObject({
        code: 'bad_request',
        message: 'id names a file that is not shared, so the edge does not have it: share it first.',
      })
      await expect(call(theirs.id)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(call(987_654_321)).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(await files.get(other, theirs.id)).toEqual(theirs)
  })

  describe('counts', () => {
    const traffic = { requests: 3, hits: 2, misses: 1, bytesServed: 5_000_000_000 }

    it('counts are added from all processes, and those of deleted files are dropped', async () => {
      const [first, second, deleted] = [await create(), await create(), await create(null)]
      await files.remove(account, deleted.id)
      await trafficStore(site.db).add([
        [second.id, traffic],
        [deleted.id, traffic],
        [first.id, { ...none, requests: 1 }],
      ])
      await trafficStore(site.otherDb).add([[second.id, traffic]])
      expect(await countsOf(first.id)).toEqual({ ...none, requests: 1 })
      expect(await countsOf(second.id)).toEqual({ requests: 6, hits: 4, misses: 2, bytesServed: 10_000_000_000 })
      expect((await cdn.configure(account, second.id, {})).traffic).toMatchObject({ requests: 6 })
    })

    it('counts are deleted with the file', async () => {
      const { id } = await create()
      await trafficStore(site.db).add([[id, traffic]])
      await files.change(account, id, { shareKey: null })
      await expect(files.remove(account, id)).resolves.toMatchObject({ blobs: [] })
    })

    it('two processes that count during deletions lose no count, and do not deadlock', async () => {
      const kept = await Promise.all(Array.from({ length: 20 }, () => create()))
      const doomed = await Promise.all(Array.from({ length: 20 }, () => create(null)))
      const batch = [...kept, ...doomed].map(({ id }) => [id, { ...none, requests: 1 }] as const)
      await Promise.all([
        ...Array.from({ length: 10 }, (_, i) =>
          trafficStore(i % 2 ? site.db : site.otherDb).add(i % 3 ? batch : [...batch].reverse()),
        ),
        ...doomed.map(({ id }, i) => fileStore(i % 2 ? site.db : site.otherDb, noLimits).remove(account, id)),
      ])
      for (const { id } of kept) expect(await countsOf(id)).toEqual({ ...none, requests: 10 })
    })
  })
})
