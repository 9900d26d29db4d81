import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { fieldPart, filePart, formOf, formType } from '../../../../test/byte-forms.js'
import { buildZip } from '../../../../test/built-zip.js'
import { entriesOf, type Files } from '../../../../test/site-storage.js'
import { startSite, type Browser, type Site } from '../../../../test/site.js'
import { openExistingDiskBlobs } from '../../../ports/blobs/disk/disk-blobs.js'
import { writerOf } from '../../../ports/blobs/port.js'

const email = 'ada@example.com'
const zipOf = (files: Files) => buildZip(entriesOf(files))
const zipType = { 'content-type': 'application/zip' }

describe.each(databaseKinds)('static sites over HTTP on %s', (kind) => {
  let folder: string
  let site: Site
  let token: string
  let other: string
  let browser: Browser
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-sites-'))
    site = await startSite(kind, {
      blobs: { kind: 'disk', folder },
      publicUrl: 'http://api.sites.example:8080',
      sitesDomain: 'sites.example',
      sites: { sitesMax: 4, siteBytesMax: 2_000_000, siteFilesMax: 10, bytesMax: 0 },
    })
    token = await site.token(await site.account(email), 'sites:write')
    other = await site.token(await site.account('bob@example.com'), 'sites:write')
    browser = await site.browser(email)
  })
  afterAll(async () => {
    await site.stop()
    await rm(folder, { recursive: true })
  })

  const send = async (path: string, body: Buffer, headers: Record<string, string>, bearer = token) => {
    const answer = await fetch(`${site.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, ...headers },
      body: new Uint8Array(body),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, never> }
  }
  const deploy = (name: string, files: Files, bearer = token) =>
    send(`/v1/sites/deploy?name=${name}`, zipOf(files), zipType, bearer)
  const list = async () => (await site.call('GET', '/v1/sites', { token })).body['data'].sites as { name: string }[]
  const objects = async () => (await site.sql('select key from blob')).length

  it('deploys base64 in JSON, a zip, and a form, and lists them with the last deployed first', async () => {
    const archive = zipOf({ 'index.html': 'Home' })
    const json = await site.call('POST', '/v1/sites/deploy', {
      token,
      body: { name: 'json', archive: archive.toString('base64') },
    })
    expect(json.status).toBe(200)
    expect(json.body['data']).toMatchObject({ name: 'json', url: 'http://json.sites.example:8080/', files: 1, size: 4 })
    expect((await deploy('raw', { 'index.html': 'Home', 'a.css': 'x' })).body['data']).toMatchObject({
      files: 2,
      size: 5,
    })
    const file = String(filePart('', 'site.zip', 'application/zip')).replace('"content"', '"archive"')
    const form = formOf(fieldPart('name', 'form'), Buffer.concat([Buffer.from(file), archive]))
    expect((await send('/v1/sites/deploy', form, { 'content-type': formType })).body['data']).toMatchObject({
      name: 'form',
      files: 1,
    })
    expect((await list()).map(({ name }) => name)).toEqual(['form', 'raw', 'json'])
    await deploy('json', { 'index.html': 'Home 2' })
    expect((await list()).map(({ name }) => name)).toEqual(['json', 'form', 'raw'])
    expect((await list())[0]).toEqual((await site.call('GET', '/v1/sites', { token })).body['data'].sites[0])
    // The archives are removed, and equal files are stored once.
    expect(await objects()).toBe(3)
  })

  it.each([
    ['content', 'content is reserved for svc itself: choose another one.'],
    ['api', 'api is reserved for svc itself: choose another one.'],
    ['-a', 'name must'],
    ['a.b', 'name must'],
    ['A', 'name must'],
  ])('400 bad_request for the name %s', async (name, message) => {
    const answer = await deploy(name, { 'index.html': 'x' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request' } })
    expect(answer.body['message']).toContain(message)
  })

  it('403 forbidden for a name of another account, before and after the bytes', async () => {
    await deploy('mine', { 'index.html': 'x' })
    const refusal = { status: 403, body: { error: 'forbidden', message: 'This site belongs to another account.' } }
    expect(await deploy('mine', { 'index.html': 'y' }, other)).toMatchObject(refusal)
    const file = String(filePart('', 'site.zip')).replace('"content"', '"archive"')
    const form = formOf(Buffer.concat([Buffer.from(file), zipOf({ a: 'a' })]), fieldPart('name', 'mine'))
    expect(await send('/v1/sites/deploy', form, { 'content-type': formType }, other)).toMatchObject(refusal)
    expect((await site.call('POST', '/v1/sites/delete', { token: other, body: { name: 'mine' } })).status).toBe(403)
  })

  it('400 bad_request for a further site, for a large archive, and for a broken one', async () => {
    expect((await deploy('fifth', { a: 'a' })).body['message']).toBe(
      'The account has 4 sites, and may have 4: delete one first.',
    )
    expect((await send('/v1/sites/deploy?name=mine', Buffer.alloc(2_000_001), zipType)).body['message']).toBe(
      'archive is too large: a site may have 2 MB (2000000 bytes).',
    )
    expect((await send('/v1/sites/deploy?name=mine', Buffer.alloc(1000), zipType)).body['message']).toContain(
      'archive is not a zip',
    )
    expect((await deploy('mine', { 'a\0b': 'x' })).body['message']).toBe(
      'archive: entry "a\\u0000b" has a control character or an invisible format character in its name.',
    )
  })

  it('the console lists the versions of a site and restores one', async () => {
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) await deploy('mine', { 'index.html': text })
    const versions = async () => (await browser.call('GET', '/sites/versions?name=mine')).body['data'].versions
    const kept = (await versions()) as { version: number; number: number; current: boolean; size: number }[]
    const newest = kept[0]!.number
    expect(kept.map(({ number, current, size }) => [newest - number, current, size])).toEqual([
      [0, true, 3],
      [1, false, 4],
      [2, false, 4],
      [3, false, 5],
      [4, false, 3],
    ])
    const three = kept[3]!.version
    const restored = await browser.call('POST', '/sites/restore', { body: { name: 'mine', version: three } })
    expect(restored.body['data']).toMatchObject({ name: 'mine', files: 1, size: 5 })
    expect((await versions()).map(({ current }: { current: boolean }) => current)).toEqual([
      ...[false, false, false, true, false],
    ])
    expect((await list())[0]).toMatchObject({ name: 'mine', size: 5 })
    const unknown = await browser.call('POST', '/sites/restore', { body: { name: 'mine', version: 987_654 } })
    expect(unknown.body).toMatchObject({ error: 'not_found', message: 'There is no version 987654 of the site mine.' })
    expect((await browser.call('GET', '/sites/versions?name=none')).status).toBe(404)
  })

  it('a restore of the version that is served changes nothing', async () => {
    const clock = () => site.sql(`select * from change_clock where name like 'sites%' order by name`)
    const before = [await clock(), await site.sql('select * from site order by id')]
    const { versions } = (await browser.call('GET', '/sites/versions?name=mine')).body['data'] as {
      versions: { version: number; current: boolean }[]
    }
    const version = versions.find(({ current }) => current)?.version
    const restored = await browser.call('POST', '/sites/restore', { body: { name: 'mine', version } })
    expect(restored.body['data']).toEqual((await list()).find(({ name }) => name === 'mine'))
    expect([await clock(), await site.sql('select * from site order by id')]).toEqual(before)
  })

  it('a deleted site is gone at once, its name is free, and every change is counted', async () => {
    const changes = async () =>
      Number((await site.sql(`select sum(value) as value from change_clock where name like 'sites%'`))[0]?.['value'])
    const before = await changes()
    const deleted = await site.call('POST', '/v1/sites/delete', { token, body: { name: 'mine' } })
    expect(deleted.body['data']).toEqual({ name: 'mine', deleted: true })
    expect((await list()).map(({ name }) => name)).not.toContain('mine')
    expect((await site.call('POST', '/v1/sites/delete', { token, body: { name: 'mine' } })).status).toBe(404)
    expect((await deploy('mine', { 'index.html': 'Bob' }, other)).status).toBe(200)
    expect(await changes()).toBe(before + 2)
  })

  it('the archives of all deploys are removed', async () => {
    const rows = new Set((await site.sql('select key from blob')).map(({ key }) => key))
    await vi.waitFor(
      async () => {
        const found: string[] = []
        for await (const { key } of (await openExistingDiskBlobs(folder)).list())
          if (writerOf(key) !== undefined && !rows.has(key)) found.push(key)
        expect(found).toEqual([])
      },
      { timeout: 20_000 },
    )
  })
})
