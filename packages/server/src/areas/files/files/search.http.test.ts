import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import type { Account } from '../../../shared/account.js'

/** The search of files, through the real server. */

describe.each(databaseKinds)('the search of files on %s', (kind) => {
  let site: Site
  let ada: Account
  let token: string
  beforeAll(async () => {
    site = await startSite(kind)
    ada = await site.account('ada@example.com')
    token = await site.token(ada, 'files:write')
    const others = await site.token(await site.account('bob@example.com'), 'files:write')
    for (const file of given) await upload(token, file)
    await upload(others, { name: 'invoice of Bob.pdf' })
  })
  afterAll(() => site.stop())

  const given: readonly Envelope[] = [
    { name: 'Invoice 2026-01.pdf', shared: true },
    { name: 'invoice 2026-02.PDF', media_type: 'Application/PDF; version=2' },
    { name: 'holiday_100%.png', shared: true },
    { name: 'Straße.txt' },
    { name: 'song.mp3' },
    { name: 'film.mp4' },
    { name: 'all.zip' },
    { name: 'data.json' },
    { name: 'program.exe' },
  ]

  async function upload(by: string, file: Envelope) {
    const body = { content: 'aGVsbG8=', ...file }
    expect((await site.call('POST', '/v1/files/upload', { token: by, body })).status).toBe(200)
  }

  const search = (query: Record<string, string>, by = token) =>
    site.call('GET', `/v1/files?${new URLSearchParams(query).toString()}`, { token: by })

  async function found(query: Record<string, string>) {
    const answer = await search(query)
    expect(answer.status, answer.text).toBe(200)
    const { files, next, total } = answer.body['data'] as Envelope
    return { names: (files as Envelope[]).map(({ name }) => name as string), next: next as number | null, total }
  }

  it.each([
    ['invoice', ['invoice 2026-02.PDF', 'Invoice 2026-01.pdf']],
    ['INVOICE 2026-01', ['Invoice 2026-01.pdf']],
    ['.pdf', ['invoice 2026-02.PDF', 'Invoice 2026-01.pdf']],
    ['%', ['holiday_100%.png']],
    ['y_1', ['holiday_100%.png']],
    ['straße', ['Straße.txt']],
    ['\\', []],
    ["' or 1=1", []],
  ])('only files with %s in their names are found, in upper and lower case', async (text, names) => {
    expect(await found({ search: text })).toEqual({ names, next: null, total: names.length })
  })

  it.each([
    ['pdf', ['invoice 2026-02.PDF', 'Invoice 2026-01.pdf']],
    ['image', ['holiday_100%.png']],
    ['text', ['data.json', 'Straße.txt']],
    ['sound', ['song.mp3']],
    ['video', ['film.mp4']],
    ['archive', ['all.zip']],
    ['other', ['program.exe']],
  ])('files of the kind %s are found by their media types', async (fileKind, names) => {
    expect(await found({ kind: fileKind })).toEqual({ names, next: null, total: names.length })
  })

  it('shared files and private files are found apart, together with the other conditions', async () => {
    expect((await found({ shared: 'true' })).names).toEqual(['holiday_100%.png', 'Invoice 2026-01.pdf'])
    expect(await found({ shared: 'false' })).toMatchObject({ total: given.length - 2 })
    expect((await found({ shared: 'true', kind: 'pdf', search: 'inv' })).names).toEqual(['Invoice 2026-01.pdf'])
    expect((await found({ shared: 'false', kind: 'image' })).names).toEqual([])
  })

  it('an empty text finds all files', async () => {
    expect(await found({ search: '' })).toMatchObject({ total: given.length })
  })

  it('the found files have the fields of the list, and pages of any size', async () => {
    const listed = ((await search({})).body['data'] as Envelope)['files'] as Envelope[]
    const searched = ((await search({ kind: 'pdf' })).body['data'] as Envelope)['files']
    expect(searched).toEqual(listed.filter(({ name }) => /pdf$/i.test(String(name))))
    const first = await found({ search: 'invoice', limit: '1' })
    expect(first).toEqual({ names: ['invoice 2026-02.PDF'], next: expect.any(Number), total: 2 })
    const second = await found({ search: 'invoice', limit: '1', before: String(first.next) })
    expect(second).toEqual({ names: ['Invoice 2026-01.pdf'], next: null, total: 2 })
  })

  it('a text that no name can have is refused with the reason', async () => {
    const control = await search({ search: 'a\u0000b' })
    expectError(control, 'bad_request')
    expect(control.body['message']).toMatch(/^search must not contain control characters/)
    expectError(await search({ search: 'a'.repeat(256) }), 'bad_request')
    expectError(await search({ kind: 'folder' }), 'bad_request')
  })

  it('the whole account is searched in several turns of the event loop', async () => {
    const carol = await site.account('carol@example.com')
    await site.sql(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 32000)
      insert into file (account_id, name, media_type, size, sha256, edge_ttl, serving, edge_version, created_at, updated_at)
      select ${String(carol.id)}, case when i % 16000 = 1 then 'Needle ' else 'hay ' end || i, 'text/plain', 0, '', 3600, 1, 0, i, i
      from n order by i`)
    const by = await site.token(carol, 'files:read')
    let turns = 0
    let isSearching = true
    const countTurns = () => {
      turns++
      if (isSearching) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const { body } = await search({ search: 'needle', limit: '1' }, by)
    isSearching = false
    expect(body['data']).toMatchObject({ files: [{ name: 'Needle 16001' }], next: expect.any(Number), total: 2 })
    expect(turns).toBeGreaterThan(6)
    const last = await search({ search: 'needle', limit: '1', before: String(body['data'].next) }, by)
    expect(last.body['data']).toMatchObject({ files: [{ name: 'Needle 1' }], next: null, total: 2 })
    const all = await search({ search: 'hay' }, by)
    expect(all.body['data']).toMatchObject({ next: expect.any(Number), total: 31_998 })
    expect(all.body['data'].files).toHaveLength(1_000)
  })
})
