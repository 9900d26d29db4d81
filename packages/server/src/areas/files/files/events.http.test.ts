import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { expectEvent, expectNoEvent, startEventSite, type EventSite } from '../../../../test/event-site.js'

describe.each(databaseKinds)('the events of files on %s', (kind) => {
  let site: EventSite
  beforeAll(async () => {
    site = await startEventSite(kind)
  })
  afterAll(() => site.stop())

  const of = (action: string, object: string) => ({ area: 'files', action, object })
  const content = 'aGVsbG8='
  const shown = { id: expect.any(Number), media_type: 'text/plain', size: 5 }
  const uploaded = async (name: string, shared: boolean): Promise<number> =>
    (await site.act('POST', '/v1/files/upload', { name, content, shared })).data['id']

  it('shows an upload, without the key of its share link', async () => {
    const answer = await site.act('POST', '/v1/files/upload', { name: 'a.txt', content, shared: true })
    const after = { ...shown, name: 'a.txt', shared: true, serving: true, edge_ttl: 3600 }
    const { share_url: url } = expectEvent(answer, { ...of('file_upload', 'a.txt'), after })
    const key = /\/s\/([\w-]{22})\//.exec(String(url))?.[1] ?? url
    expect(JSON.stringify(answer.events)).not.toContain(key)
  })

  it('shows an upload in parts when it is finished, once', async () => {
    const part = await site.act('POST', '/v1/files/upload-chunk', { index: 0, content })
    expectNoEvent(part, 200)
    const finalize = () =>
      site.act('POST', '/v1/files/upload-finalize', { upload_id: part.data['upload_id'], name: 'parts.txt', parts: 1 })
    const after = { ...shown, name: 'parts.txt', shared: false }
    expectEvent(await finalize(), { ...of('file_upload', 'parts.txt'), after })
    expectNoEvent(await finalize(), 200)
  })

  it('shows a new name, the fields that changed only, and nothing for the same name', async () => {
    const id = await uploaded('old.txt', false)
    const rename = () => site.act('POST', '/v1/files/rename', { id, name: 'new.txt' })
    const changed = { before: { name: 'old.txt' }, after: { id, name: 'new.txt' } }
    expectEvent(await rename(), { ...of('file_change', 'old.txt'), ...changed })
    expectNoEvent(await rename(), 200)
  })

  it('shows when a file is shared, and when no longer', async () => {
    const id = await uploaded('share.txt', false)
    const share = (shared: boolean) => site.act('POST', '/v1/files/update', { id, shared })
    const shared = { id, shared: true, serving: true, edge_ttl: 3600 }
    const unshared = { shared: false, serving: null, edge_ttl: null }
    expectEvent(await share(true), { ...of('file_share', 'share.txt'), before: unshared, after: shared })
    expectNoEvent(await share(true), 200)
    const ended = { before: { shared: true }, after: { id, shared: false } }
    expectEvent(await share(false), { ...of('file_unshare', 'share.txt'), ...ended })
  })

  it('shows a deletion in the console with what the file was', async () => {
    const id = await uploaded('gone.txt', false)
    const before = { ...shown, id, name: 'gone.txt', shared: false }
    const answer = await site.actInConsole('POST', '/files/delete', { id })
    expectEvent(answer, { ...of('file_delete', 'gone.txt'), before }, 'session')
    expectNoEvent(await site.act('POST', '/v1/files/delete', { id }), 404)
  })

  it('shows how the edge serves a file from now on, and purges', async () => {
    const id = await uploaded('edge.txt', true)
    const configure = () => site.act('POST', '/v1/cdn/config', { id, edge_ttl: 60, serving: false })
    const changed = { before: { edge_ttl: 3600, serving: true }, after: { id, edge_ttl: 60, serving: false } }
    expectEvent(await configure(), { area: 'cdn', action: 'serving_change', object: 'edge.txt', ...changed })
    expectNoEvent(await configure(), 200)
    const purge = await site.act('POST', '/v1/cdn/purge', { id })
    expectEvent(purge, { area: 'cdn', action: 'copies_purge', object: 'edge.txt', after: { id } })
  })

  it('has no event of a request that is refused', async () => {
    const id = await uploaded('kept.txt', false)
    expectNoEvent(await site.act('POST', '/v1/cdn/purge', { id }), 400)
    expectNoEvent(await site.act('POST', '/v1/files/update', { id, name: 'a/b' }), 400)
    expectNoEvent(await site.act('POST', '/v1/files/upload', { name: 'a.txt', content: '?' }), 400)
  })

  it('shows nothing to another account', async () => {
    await site.expectHidden('files')
    await site.expectHidden('cdn')
  })
})
