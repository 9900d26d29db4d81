import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fileStorage, noLimits, type FileStorage } from '../../../../test/file-storage.js'
import type { Account } from '../../../shared/account.js'
import { openFile } from '../contents/open-file.js'
import { usageStore } from '../storage/usage-store.js'
import { fileList } from './read-store.js'
import { fileStore, type FileStore } from './store.js'

/** Files in the database. */

describe.each(databaseKinds)('files on %s', (kind) => {
  let site: FileStorage
  let files: FileStore
  let nextAccount = 0
  let ada: Account
  let bob: Account
  beforeAll(async () => {
    site = await fileStorage(kind)
    files = fileStore(site.db, noLimits)
  })
  afterAll(() => site.stop())

  const newAccount = () => site.people[nextAccount++] as Account
  beforeAll(() => {
    ada = newAccount()
    bob = newAccount()
  })

  const usage = (account: Account) => usageStore(site.db).of(account)

  const details = { name: 'a.txt', mediaType: 'text/plain', shareKey: null }

  async function create(account: Account, content: string, given: Partial<typeof details> | { shareKey: string } = {}) {
    const { key, size, sha256 } = await site.put(content)
    const file = await files.create(account, { ...details, ...given, size, sha256, blob: size === 0 ? null : key })
    site.intake.settle(key)
    return { ...file, key }
  }

  it('a new file has its details, is not shared, and is counted', async () => {
    const account = newAccount()
    const before = Date.now()
    const { key: _key, ...file } = await create(account, 'hello')
    expect(file).toEqual({
      ...details,
      id: expect.any(Number),
      accountId: account.id,
      size: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      edgeTtl: 3600,
      isServed: true,
      edgeVersion: 0,
      createdAt: expect.any(Number),
      updatedAt: file.createdAt,
    })
    expect(file.createdAt).toBeGreaterThanOrEqual(before)
    expect(await files.get(account, file.id)).toEqual(file)
    expect(await usage(account)).toEqual({ files: 1, shared: 0, bytes: 5, uploads: 0, objects: 1 })
  })

  it('a file that is created shared has version 1, and is counted as shared', async () => {
    const account = newAccount()
    const file = await create(account, 'hello', { shareKey: 'k'.repeat(22) })
    expect(file).toMatchObject({ shareKey: 'k'.repeat(22), edgeVersion: 1 })
    expect(await usage(account)).toMatchObject({ files: 1, shared: 1 })
  })

  it('an empty file has no object', async () => {
    const file = await create(ada, '')
    expect(file.size).toBe(0)
    await expect(openFile(site.db, site.blobs)(file, { first: 0, last: 0 })).rejects.toThrow('has been deleted')
    expect(await files.remove(ada, file.id)).toEqual({ blobs: [], edgeVersion: 0 })
  })

  it('without files an account uses nothing', async () => {
    expect(await usage(newAccount())).toEqual({ files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 })
  })

  it('a file is not created from an object whose writer is gone', async () => {
    const account = newAccount()
    const { size, sha256 } = await site.put('x')
    const blob = `${'0'.repeat(32)}-999`
    await expect(files.create(account, { ...details, size, sha256, blob })).rejects.toThrow('lease has expired')
    expect(await usage(account)).toMatchObject({ files: 0, bytes: 0 })
  })

  it('a change sets the supplied fields and the time', async () => {
    const file = await create(ada, 'x')
    await new Promise((resolve) => setTimeout(resolve, 5))
    const changed = await files.change(ada, file.id, { name: 'b.html', mediaType: 'text/html' })
    expect(changed).toMatchObject({ name: 'b.html', mediaType: 'text/html', shareKey: null, createdAt: file.createdAt })
    expect(changed.updatedAt).toBeGreaterThan(file.updatedAt)
    expect(await files.get(ada, file.id)).toEqual(changed)
    expect(await files.change(ada, file.id, { name: 'b.html' })).toEqual(changed)
  })

  it('sharing is counted once, until it ends', async () => {
    const account = newAccount()
    const { id } = await create(account, 'x')
    expect(await files.change(account, id, { shareKey: 'a'.repeat(22) })).toMatchObject({ edgeVersion: 1 })
    expect(await files.change(account, id, { shareKey: 'b'.repeat(22) })).toMatchObject({ shareKey: 'a'.repeat(22) })
    expect(await usage(account)).toMatchObject({ shared: 1 })
    expect(await files.change(account, id, { shareKey: null })).toMatchObject({ shareKey: null, edgeVersion: 2 })
    expect(await usage(account)).toMatchObject({ shared: 0 })
  })

  it('deleting a file removes its rows, and returns its object', async () => {
    const account = newAccount()
    const { id, key } = await create(account, 'hello')
    expect(await files.remove(account, id)).toEqual({ blobs: [key], edgeVersion: 0 })
    await expect(files.get(account, id)).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no file ${id}.`,
    })
    expect(await usage(account)).toEqual({ files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 })
  })

  it('deleting a shared file removes its rows, and returns a version that no copy has', async () => {
    const account = newAccount()
    const { id, key } = await create(account, 'x', { shareKey: 's'.repeat(22) })
    expect(await files.remove(account, id)).toEqual({ blobs: [key], edgeVersion: 2 })
    await expect(files.get(account, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await usage(account)).toEqual({ files: 0, shared: 0, bytes: 0, uploads: 0, objects: 0 })
  })

  it('403 forbidden for a file of another account, which does not change; 404 not_found for an unknown id', async () => {
    const { id } = await create(ada, 'x')
    const before = await files.get(ada, id)
    for (const call of [
      (target: number) => files.get(bob, target),
      (target: number) => files.change(bob, target, { name: 'b' }),
      (target: number) => files.remove(bob, target),
    ]) {
      await expect(call(id)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(call(987_654_321)).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(await files.get(ada, id)).toEqual(before)
  })

  describe('the list', () => {
    let account: Account
    let ids: number[]
    beforeAll(async () => {
      account = newAccount()
      ids = []
      for (let i = 0; i < 5; i++) {
        ids.unshift((await create(account, 'x')).id)
        await create(bob, 'y')
      }
    })
    const list = async (limit: number, before = Number.MAX_SAFE_INTEGER) => {
      const page = await fileList(site.db)(account, { limit, before })
      return { ids: page.entries.map(({ id }) => id), next: page.next }
    }

    it('the list is newest first, with the files of the account only', async () => {
      expect(await list(1000)).toEqual({ ids, next: null })
      expect(await list(5)).toEqual({ ids, next: null })
    })

    it('the list continues before the last entry of a page', async () => {
      const first = await list(2)
      expect(first).toEqual({ ids: ids.slice(0, 2), next: ids[1] })
      const second = await list(2, first.next!)
      expect(second).toEqual({ ids: ids.slice(2, 4), next: ids[3] })
      expect(await list(2, second.next!)).toEqual({ ids: ids.slice(4), next: null })
      expect(await list(2, ids[4])).toEqual({ ids: [], next: null })
    })
  })
})
