import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compact } from '../../packages/server/src/areas/sites/versions/compaction.js'
import { compactionStore } from '../../packages/server/src/areas/sites/versions/compaction-store.js'
import { contentStore } from '../../packages/server/src/areas/sites/versions/content-store.js'
import type { Account } from '../../packages/server/src/shared/account.js'
import { databaseKinds } from '../../packages/server/test/app.js'
import { siteLimits, siteStorage, type SiteStorage } from '../../packages/server/test/site-storage.js'

/** A site that is deployed again and again stores the bytes of its kept versions, whatever its deploys share. */

const hour = 60 * 60_000

describe.each(databaseKinds)('a site on %s', (kind) => {
  let site: SiteStorage
  beforeAll(async () => {
    site = await siteStorage(kind)
  })
  afterAll(() => site.stop())

  it('20 deploys, each with a file that all later ones keep, store what five versions need', async () => {
    const account = site.people[0] as Account
    const files: Record<string, Buffer> = {}
    for (let n = 0; n < 20; n++) {
      files[`kept${n}.bin`] = randomBytes(1_000)
      await site.deploy(account, 'docs', { ...files, 'app.bin': randomBytes(300_000) })
    }
    const served = await site.served(account, 'docs')
    const parts = { store: compactionStore(site.db), blobs: site.blobs, intake: site.intake }
    // Each step half an hour after the one before.
    await site.cleanUp(hour)
    for (const afterMs of [0, hour]) await compact(parts, Date.now() + afterMs, new AbortController().signal)
    const needed = 5 * 300_000 + 20 * 1_000
    const [row] = await site.sql('select sum(size) as bytes from blob')
    expect(Number(row?.['bytes'])).toBe(needed)
    expect(await contentStore(site.db, siteLimits).use(account)).toBe(needed)
    expect(await site.served(account, 'docs')).toEqual(served)
    const sizes = async () => Promise.all((await site.stored()).map((key) => site.blobs.sizeOf(key)))
    await expect.poll(async () => (await sizes()).reduce((sum, size = 0) => Number(sum) + size, 0)).toBe(needed)
  })
})
