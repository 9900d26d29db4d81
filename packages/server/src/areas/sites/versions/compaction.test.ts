import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { siteStorage, type Files, type SiteStorage } from '../../../../test/site-storage.js'
import { StorageError } from '../../../ports/blobs/port.js'
import type { Account } from '../../../shared/account.js'
import { removeSitesPart } from './account-removal-store.js'
import { compact } from './compaction.js'
import { compactionStore, type Pack } from './compaction-store.js'
import { contentStore } from './content-store.js'

/** Objects that hold few contents of many old versions, on a real database and disk. */

const hour = 60 * 60_000
const kept = { 'kept.txt': 'kept text. '.repeat(100), 'kept.bin': randomBytes(3_000), empty: '' }
/** A version whose own files are much larger than those of all versions. */
const version = (n: number): Files => ({
  'a.bin': randomBytes(40_000),
  'b.txt': `version ${n} `.repeat(5_000),
  ...(n === 0 ? kept : {}),
  'c.bin': randomBytes(40_000),
  ...kept,
})

describe.each(databaseKinds)('compaction on %s', (kind) => {
  let site: SiteStorage
  let account: Account
  let nextAccount = 0
  beforeAll(async () => {
    site = await siteStorage(kind)
  })
  afterAll(() => site.stop())
  beforeEach(() => {
    account = site.people[nextAccount++] as Account
  })

  const parts = () => ({ store: compactionStore(site.db), blobs: site.blobs, intake: site.intake })
  const run = (afterMs = 0, changes: Partial<ReturnType<typeof parts>> = {}) =>
    compact({ ...parts(), ...changes }, Date.now() + afterMs, new AbortController().signal)
  const number = async (query: string) => Number(Object.values((await site.sql(query))[0] ?? {})[0])
  const stored = () =>
    number(
      `select coalesce(sum(size), 0) from blob where key in (select blob_key from site_content where account_id = ${account.id})`,
    )
  const live = () =>
    number(
      `select coalesce(sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)), 0) from site_content where account_id = ${account.id}`,
    )
  const use = () => contentStore(site.db, { bytesMax: 0 } as never).use(account)
  const queued = () => number(`select count(*) from site_compaction where account_id = ${account.id}`)

  async function deployAll(count: number): Promise<Record<string, string>> {
    for (let n = 0; n < count; n++) await site.deploy(account, `site${account.id}`, version(n))
    return site.served(account, `site${account.id}`)
  }

  it('many deploys: the stored bytes are those of the kept versions, and every file is the same', async () => {
    const served = await deployAll(12)
    expect(await use()).toBe(await live())
    await site.cleanUp(hour)
    expect(await stored()).toBeGreaterThan(await live())
    expect(await use()).toBe(await live())
    await run()
    expect(await stored()).toBe(await live())
    expect(await site.served(account, `site${account.id}`)).toEqual(served)
    expect(served['kept.txt']).toBe(kept['kept.txt'])
  })

  it('an old object is removed half an hour after its contents have moved, and not before', async () => {
    // The objects of the other tests.
    await run(2 * hour)
    await expect.poll(async () => (await site.stored()).length).toBe(await number('select count(*) from blob'))
    await deployAll(7)
    await site.cleanUp(hour)
    const before = (await site.stored()).length
    await run()
    expect((await site.stored()).length).toBe(before + 1)
    await run(29 * 60_000)
    expect((await site.stored()).length).toBe(before + 1)
    await run(31 * 60_000)
    await expect.poll(async () => (await site.stored()).length).toBe(before)
    expect(await queued()).toBe(0)
  })

  it('an object of which half is live stays as it is', async () => {
    const files = (name: string) => ({ 'a.bin': kept['kept.bin'], [name]: randomBytes(2_000) })
    for (const name of ['1', '2', '3', '4', '5', '6', '7']) await site.deploy(account, 'half', files(name))
    await site.cleanUp(hour)
    const [before, objects] = [await stored(), await site.stored()]
    await run()
    expect([await stored(), await site.stored(), await queued()]).toEqual([before, objects, 0])
  })

  it('gzip and Brotli forms move too', async () => {
    await deployAll(7)
    await site.cleanUp(hour)
    const forms = () =>
      site.sql(`select c.sha256, c.blob_key, c.start, c.size, c.gzip_start, c.gzip_size, c.br_start, c.br_size from site_content c
        where account_id = ${account.id} and br_size is not null order by sha256`)
    const read = async () => {
      const bytes: Buffer[] = []
      for (const row of await forms())
        for (const form of ['gzip_', 'br_', '']) {
          const start = Number(row[`${form}start`])
          const stream = await site.blobs.open(String(row['blob_key']), {
            first: start,
            last: start + Number(row[`${form}size`]) - 1,
          })
          bytes.push(Buffer.concat(await stream.toArray()))
        }
      return bytes
    }
    const before = await read()
    await run()
    expect(await read()).toEqual(before)
    expect(before.length).toBeGreaterThan(3)
  })

  it('a process that ends after the copy, before the commit: nothing is lost, and the next run continues', async () => {
    const served = await deployAll(7)
    await site.cleanUp(hour)
    const killed = new Error('killed')
    const store = { ...compactionStore(site.db), move: () => Promise.reject(killed) }
    await expect(run(0, { store })).rejects.toBe(killed)
    expect(await site.served(account, `site${account.id}`)).toEqual(served)
    await run()
    expect(await stored()).toBeGreaterThan(await live())
    await run(2 * hour)
    expect(await stored()).toBe(await live())
    expect(await site.served(account, `site${account.id}`)).toEqual(served)
  })

  it('a damaged content is not copied: its object stays, others are compacted, and the job says so', async () => {
    await deployAll(7)
    await site.cleanUp(hour)
    const before = await stored()
    const open: SiteStorage['blobs']['open'] = async (key, range) => {
      const stream = await site.blobs.open(key, range)
      return stream.map((chunk: Buffer) => Buffer.from(chunk.map((byte) => byte ^ 1)))
    }
    await expect(run(0, { blobs: { ...site.blobs, open } })).rejects.toThrow(StorageError)
    expect(await stored()).toBe(before)
  })

  it('the copy of contents that are all removed meanwhile is removed', async () => {
    await deployAll(7)
    await site.cleanUp(hour)
    const real = compactionStore(site.db)
    const move: typeof real.move = async (...args) => {
      await site.sites.remove(account, `site${account.id}`)
      await site.cleanUp(hour)
      return real.move(...args)
    }
    await run(0, { store: { ...real, move } })
    expect([await live(), await use(), await queued()]).toEqual([0, 0, 0])
    await expect.poll(async () => (await site.stored()).length).toBe(await number('select count(*) from blob'))
  })

  it('an object that is removed before it is looked at counts as dense', async () => {
    const settle = () => compactionStore(site.db).settle({ key: `${'0'.repeat(32)}-1`, accountId: account.id })
    expect(await settle()).toBe('dense')
  })

  it('compaction ends at a signal', async () => {
    await deployAll(7)
    await site.cleanUp(hour)
    const before = await stored()
    await compact(parts(), Date.now(), AbortSignal.abort())
    const stop = new AbortController()
    const store = {
      ...compactionStore(site.db),
      contents: (pack: Pack) => {
        stop.abort()
        return compactionStore(site.db).contents(pack)
      },
    }
    await compact({ ...parts(), store }, Date.now(), stop.signal)
    expect([await stored(), await queued()]).toEqual([before, 1])
  })

  it('a gap of megabytes is not read', async () => {
    const big = randomBytes(1_500_000)
    const first = { '1': kept['kept.bin'], '2': big, '3': randomBytes(900_000), '4': kept['kept.txt'] }
    await site.deploy(account, 'gap', first)
    for (let n = 0; n < 6; n++) await site.deploy(account, 'gap', { '1': first[1], '4': first[4], n: String(n) })
    const served = await site.served(account, 'gap')
    await site.cleanUp(hour)
    const ranges: number[] = []
    const open: SiteStorage['blobs']['open'] = (key, range) => {
      ranges.push(range.last - range.first)
      return site.blobs.open(key, range)
    }
    await run(0, { blobs: { ...site.blobs, open } })
    expect(Math.max(...ranges)).toBeLessThan(10_000)
    expect(await site.served(account, 'gap')).toEqual(served)
  })

  it('the deletion of the account removes the objects whose contents have moved', async () => {
    await deployAll(7)
    await site.cleanUp(hour)
    await run()
    const removed: string[] = []
    for (let isDone = false; !isDone;) {
      const part = await removeSitesPart(
        { db: site.db, publisher: { removeFromZone: () => Promise.reject(new Error('unused')) } },
        account.id,
      )
      removed.push(...part.objects)
      isDone = part.isDone
    }
    expect(new Set(removed).size).toBe(removed.length)
    expect([await live(), await queued()]).toEqual([0, 0])
  })
})
