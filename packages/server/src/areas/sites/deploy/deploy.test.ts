import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { buildZip, stored } from '../../../../test/built-zip.js'
import { entriesOf, siteLimits, siteStorage, type Files, type SiteStorage } from '../../../../test/site-storage.js'
import type { Account } from '../../../shared/account.js'
import { siteBlobOwners } from '../versions/owner-store.js'
import { unusedMs } from '../versions/version-store.js'

const home = 'Home '.repeat(200)
const noise = randomBytes(2000)

describe.each(databaseKinds)('deploys on %s', (kind) => {
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
  /** Each test leaves an empty store. */
  afterEach(async () => {
    for (const { name, account_id } of await site.sql('select name, account_id from site'))
      await site.sites.remove(site.people.find(({ id }) => id === Number(account_id)) as Account, String(name))
    await site.cleanUp(10 * unusedMs)
    for (const table of ['site', 'site_version', 'site_file', 'site_content', 'blob'])
      expect(await site.sql(`select * from ${table}`)).toEqual([])
    expect((await site.sql('select sum(bytes) as bytes from site_use')).map(({ bytes }) => Number(bytes))).toEqual([0])
    await vi.waitFor(async () => expect(await objects()).toEqual([]), { timeout: 20_000 })
  })

  const objects = async () => (await site.stored()).filter((key) => key !== 'owner').sort()
  const putBytes = async () =>
    (await site.sql('select size from blob')).reduce((sum, { size }) => sum + Number(size), 0)
  const deploy = (name: string, files: Files) => site.deploy(account, name, files)

  it('serves all files of the archive, without its rules', async () => {
    const first = await deploy('docs', {
      'index.html': home,
      'a/b.bin': noise,
      empty: '',
      _headers: '/*',
      _redirects: '',
    })
    expect(first).toMatchObject({ name: 'docs', files: 3, size: home.length + noise.length })
    expect(await site.served(account, 'docs')).toEqual({ 'index.html': home, 'a/b.bin': String(noise), empty: '' })
  })

  it('a redeploy stores only the contents that have changed', async () => {
    await deploy('docs', { 'index.html': home, 'a.bin': noise })
    const before = await objects()
    const bytes = await putBytes()
    await deploy('docs', { 'index.html': home, 'a.bin': noise, 'copy.bin': noise })
    expect(await objects()).toEqual(before)
    const changed = randomBytes(100)
    await deploy('docs', { 'index.html': home, 'a.bin': changed, 'copy.bin': noise })
    expect((await objects()).length).toBe(before.length + 1)
    expect((await putBytes()) - bytes).toBe(100)
    expect(await site.served(account, 'docs')).toEqual({
      'index.html': home,
      'a.bin': String(changed),
      'copy.bin': String(noise),
    })
  })

  it('keeps gzip and Brotli forms of files that shrink', async () => {
    const text = 'body { color: red }\n'.repeat(500)
    const large = Array.from({ length: 200_000 }, (_, i) => `line ${i % 977}\n`).join('')
    const zip = buildZip([
      ...entriesOf({ 'a.css': text, 'b.png': noise, 'c.txt': 'short', 'large.txt': large }),
      { name: 'stored.js', data: `${text}//`, method: stored },
      { name: 'medium.json', data: large.slice(0, 500_000) },
    ])
    await site.deployZip(site.deployer(), account, 'forms', zip)
    const rows = await site.sql(
      'select path, blob_key, size, gzip_start, gzip_size, br_start, br_size from site_file join site_content on id = content_id',
    )
    const forms: Record<string, string[]> = {}
    for (const row of rows) {
      const read = async (start: unknown, size: unknown) =>
        buffer(
          await site.blobs.open(String(row['blob_key']), {
            first: Number(start),
            last: Number(start) + Number(size) - 1,
          }),
        )
      const found: string[] = []
      const { path, size, gzip_start: gzipStart, gzip_size: gzipSize, br_start: brStart, br_size: brSize } = row
      if (gzipStart !== null) {
        found.push('gzip')
        expect(gunzipSync(await read(gzipStart, gzipSize)).length).toBe(Number(size))
        expect(Number(gzipSize)).toBeLessThan(Number(size) * 0.95)
      }
      if (brStart !== null) {
        found.push('br')
        expect(brotliDecompressSync(await read(brStart, brSize)).length).toBe(Number(size))
        expect(Number(brSize)).toBeLessThan(Number(gzipSize))
      }
      forms[String(path)] = found
    }
    expect(forms).toEqual({
      'a.css': ['gzip', 'br'],
      'b.png': [],
      'c.txt': [],
      'large.txt': ['gzip'],
      'stored.js': ['gzip', 'br'],
      'medium.json': ['gzip', 'br'],
    })
  })

  it('puts large files into objects of their own, and streams them', async () => {
    const files: Files = {
      'a.bin': randomBytes(9_000_000),
      'b.bin': randomBytes(2_000_000),
      'c.html': home,
      'd.bin': randomBytes(7_000_000),
    }
    await deploy('large', files)
    expect((await objects()).length).toBe(3)
    const served = await site.served(account, 'large')
    for (const [path, data] of Object.entries(files)) expect(served[path] === String(data)).toBe(true)
  })

  it('a refused archive leaves nothing behind', async () => {
    await deploy('docs', { 'index.html': home })
    const [before, rows] = [await objects(), await site.sql('select * from site_content')]
    await expect(deploy('docs', { 'index.html': 'New', '../a': 'x' })).rejects.toThrow('archive: entry "../a"')
    const damaged = buildZip([
      { name: 'new.html', data: 'New' },
      { name: 'a', data: 'a', crc: 1 },
    ])
    await expect(site.deployZip(site.deployer(), account, 'docs', damaged)).rejects.toThrow('entry "a" is damaged')
    const badRules = site.deployer({
      parseRules: () => {
        throw new Error('_redirects, line 1')
      },
    })
    await expect(site.deployZip(badRules, account, 'docs', buildZip([{ name: 'new.html' }]))).rejects.toThrow('line 1')
    expect(await objects()).toEqual(before)
    expect(await site.sql('select * from site_content')).toEqual(rows)
    expect(await site.sql('select id from site_version')).toHaveLength(1)
    expect(await site.served(account, 'docs')).toEqual({ 'index.html': home })
  })

  it('of deploys at once from two processes, one wins as a whole', async () => {
    const filesOf = (i: number) =>
      Object.fromEntries(
        Array.from({ length: 40 }, (_, file) => [`${file}.txt`, `${file % 3 === 0 ? 'all' : i} ${file}`]),
      )
    await Promise.all(Array.from({ length: 8 }, (_, i) => site.deploy(account, 'race', filesOf(i), i % 2 === 1)))
    const served = await site.served(account, 'race')
    const winner = Number(served['1.txt']?.split(' ')[0])
    expect(served).toEqual(Object.fromEntries(Object.entries(filesOf(winner)).sort()))
    expect(await site.sql('select id from site_version where site_id is not null')).toHaveLength(5)
  })

  it('serves and keeps a version that is deployed after the clock was set back', async () => {
    for (let i = 0; i < 5; i++) await deploy('docs', { a: String(i) })
    await site.sql(`update site_version set deployed_at = deployed_at + 3600000`)
    await deploy('docs', { a: 'new' })
    expect(await site.served(account, 'docs')).toEqual({ a: 'new' })
    expect(await site.sql('select id from site_version where site_id is not null')).toHaveLength(5)
  })

  it('keeps the version that was served until a deploy, also the oldest one', async () => {
    const { versionId: first } = await deploy('docs', { a: 'first' })
    for (let i = 0; i < 4; i++) await deploy('docs', { a: String(i) })
    await site.sites.restore(account, 'docs', first)
    await deploy('docs', { a: 'new' })
    await site.sites.restore(account, 'docs', first)
    expect(await site.served(account, 'docs')).toEqual({ a: 'first' })
  })

  it('numbers the versions of each site, and uses no number again', async () => {
    const numbers = async () =>
      (await site.sql('select name, number from site_version join site on site.id = site_id order by number')).map(
        ({ name, number }) => `${String(name)} v${String(number)}`,
      )
    for (let i = 1; i <= 6; i++) expect((await deploy('docs', { a: String(i) })).lastVersion).toBe(i)
    expect((await deploy('blog', { a: 'other' })).lastVersion).toBe(1)
    expect(await numbers()).toEqual(['blog v1', 'docs v2', 'docs v3', 'docs v4', 'docs v5', 'docs v6'])
    const [fourth] = await site.sql('select id from site_version where number = 4 and site_id is not null')
    expect((await site.sites.restore(account, 'docs', Number(fourth?.['id']))).lastVersion).toBe(6)
    expect((await deploy('docs', { a: 'after a restore' })).lastVersion).toBe(7)
    await site.sites.remove(account, 'docs')
    expect((await deploy('docs', { a: 'a new site' })).lastVersion).toBe(1)
  })

  it('gives a free number to a version of a site that an import has given a number too low', async () => {
    for (let i = 0; i < 3; i++) await deploy('docs', { a: String(i) })
    await site.sql('update site set last_version = 1')
    expect((await deploy('docs', { a: 'new' })).lastVersion).toBe(4)
  })

  it('a name belongs to the account that used it first, also if two use it at once', async () => {
    const other = site.people[nextAccount++] as Account
    const results = await Promise.allSettled([
      site.deploy(account, 'mine', { a: 'a' }),
      site.deploy(other, 'mine', { a: 'b' }, true),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const failed = results.find((result) => result.status === 'rejected')
    expect(failed?.reason).toMatchObject({ code: 'forbidden', message: 'This site belongs to another account.' })
    expect(await site.sql('select id from site')).toHaveLength(1)
  })

  it('the clean-up removes what old versions alone have used, and keeps the rest', async () => {
    for (let i = 0; i < 7; i++) await deploy('docs', { 'index.html': home, 'v.txt': `version ${i}` })
    expect(await objects()).toHaveLength(7)
    await site.cleanUp(0)
    // Their contents may be claimed by a deploy that is running.
    expect(await site.sql('select id from site_version')).toHaveLength(5)
    expect(await objects()).toHaveLength(7)
    await site.cleanUp(60_000)
    // The first object holds the home page, which all versions have.
    await vi.waitFor(async () => expect(await objects()).toHaveLength(6), { timeout: 20_000 })
    expect(await site.served(account, 'docs')).toEqual({ 'index.html': home, 'v.txt': 'version 6' })
  })

  it('a deploy counts on contents that the clean-up would have removed', async () => {
    await deploy('docs', { a: 'kept for the next deploy' })
    const before = await objects()
    await site.sites.remove(account, 'docs')
    await site.cleanUp(0)
    await deploy('docs', { a: 'kept for the next deploy' })
    await site.cleanUp(10 * unusedMs)
    expect(await objects()).toEqual(before)
    expect(await site.served(account, 'docs')).toEqual({ a: 'kept for the next deploy' })
  })

  it('the owner of an object is the account whose sites use it', async () => {
    await deploy('docs', { a: 'a', b: 'b' })
    const [key = ''] = await objects()
    const { email } = account
    expect(await siteBlobOwners(site.db, [key, 'other'])).toEqual(new Map([[key, { email, kind: 'site' }]]))
  })

  it('the clean-up removes a version whose deploy was killed', async () => {
    const killed = site.deployer({ sites: { ...site.sites, publish: () => Promise.reject(new Error('killed')) } })
    await expect(site.deployZip(killed, account, 'docs', buildZip(entriesOf({ a: 'x' })))).rejects.toThrow('killed')
    await site.cleanUp(-unusedMs)
    expect(await site.sql('select id from site_version')).toHaveLength(1)
    await site.cleanUp(1)
    expect(await site.sql('select id from site_version')).toHaveLength(0)
  })

  it.each([
    ['sites', { ...siteLimits, sitesMax: 1 }, { a: 'a' }, 'The account has 1 sites, and may have 1: delete one first'],
    ['files of a site', { ...siteLimits, siteFilesMax: 1 }, { a: 'a', b: 'b' }, 'archive has more than 1 files'],
    [
      'bytes of a site',
      { ...siteLimits, siteBytesMax: 10 },
      { a: 'more than ten' },
      'archive: entry "a" has 13 bytes, but a site may have 10 bytes',
    ],
    [
      'bytes of the account',
      { ...siteLimits, bytesMax: 2000 },
      { a: randomBytes(1000) },
      "archive needs 1 kB (1000 bytes), but the files of the account's sites use 2 kB (2000 bytes) of 2 kB (2000 bytes)",
    ],
  ])('400 bad_request beyond the limit of %s', async (_what, limits, files, message) => {
    await deploy('first', { a: noise })
    const zip = buildZip(entriesOf(files))
    await expect(site.deployZip(site.deployer({ limits }), account, 'second', zip)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(message) as string,
    })
    // The same contents need no room.
    if (limits.bytesMax > 0)
      await site.deployZip(site.deployer({ limits }), account, 'same', buildZip(entriesOf({ b: noise })))
  })
})
