import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'

/** Uploads in parts through the real server (specification, section 4.5). */

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')

describe.each(databaseKinds)('uploads on %s', (kind) => {
  let site: Site
  beforeAll(async () => {
    site = await startSite(kind)
  })
  afterAll(() => site.stop())

  let token: string
  let count = 0
  beforeEach(async () => {
    token = await newToken()
  })

  const newToken = async () => site.token(await site.account(`ada${String(++count)}@example.com`), 'files:write')
  const dataOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Envelope
  }
  const json = (index: number, content: string, upload_id?: number) =>
    site.call('POST', '/v1/files/upload-chunk', {
      token,
      body: { index, content: Buffer.from(content).toString('base64'), ...(upload_id !== undefined && { upload_id }) },
    })
  const raw = (index: number, content: string, upload_id?: number, at = site.url) =>
    fetch(`${at}/v1/files/upload-chunk?index=${index}${upload_id === undefined ? '' : `&upload_id=${upload_id}`}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: content,
    })
  const finalize = (body: Envelope) =>
    site.call('POST', '/v1/files/upload-finalize', { token, body: { name: 'a.txt', ...body } })
  const download = (id: number) => site.call('GET', `/v1/files/download?id=${id}`, { token })

  it('parts as JSON and as raw bytes, in any order and repeated, become one file', async () => {
    const first = dataOf(await json(2, 'cc'))
    expect(first).toEqual({ upload_id: expect.any(Number), index: 2, size: 2, received: [2] })
    const { upload_id } = first
    const second = ((await (await raw(0, 'aaa', upload_id)).json()) as Envelope)['data']
    expect(second).toEqual({ upload_id, index: 0, size: 3, received: [0, 2] })
    await raw(1, 'wrong', upload_id)
    expect(dataOf(await json(1, 'b', upload_id))['received']).toEqual([0, 1, 2])

    const body = { upload_id, parts: 3, sha256: sha256('aaabcc'), media_type: 'text/x-abc', shared: true }
    const file = dataOf(await finalize(body))
    expect(file).toMatchObject({
      name: 'a.txt',
      size: 6,
      sha256: sha256('aaabcc'),
      media_type: 'text/x-abc',
      shared: true,
    })
    expect(dataOf(await finalize(body))).toEqual(file)
    expect((await download(file['id'])).text).toBe('aaabcc')
    const range = await site.call('GET', `/v1/files/download?id=${file['id']}`, {
      token,
      headers: { range: 'bytes=2-4' },
    })
    expect([range.status, range.text]).toEqual([206, 'abc'])
  })

  it('an upload continues in another process, and after a restart', async () => {
    const { upload_id } = dataOf(await json(0, 'a'))
    const other = await site.another()
    expect((await raw(1, 'b', upload_id, other.url)).status).toBe(200)
    await other.stop()
    const file = dataOf(await finalize({ upload_id, parts: 2 }))
    expect(file).toMatchObject({ sha256: sha256('ab'), media_type: 'text/plain' })
  })

  it('400 bad_request for missing parts and a wrong SHA-256; the upload can go on', async () => {
    const { upload_id } = dataOf(await json(1, 'b'))
    const missing = await finalize({ upload_id, parts: 3 })
    expectError(missing, 'bad_request')
    expect(missing.body['message']).toBe('parts is 3, but 2 of these parts are missing: 0, 2.')
    await json(0, 'a', upload_id)
    const beyond = await finalize({ upload_id, parts: 1 })
    expect(beyond.body['message']).toBe('parts is 1, so the last part has the index 0, but there are also 1.')
    const wrong = await finalize({ upload_id, parts: 2, sha256: sha256('x') })
    expectError(wrong, 'bad_request')
    for (const value of [sha256('x'), sha256('ab')]) expect(wrong.body['message']).toContain(value)
    expect((await finalize({ upload_id, parts: 2, sha256: sha256('ab') })).status).toBe(200)
  })

  it('400 bad_request for a name that is not accepted; the upload can go on', async () => {
    const { upload_id } = dataOf(await json(0, 'a'))
    expectError(await finalize({ upload_id, parts: 1, name: 'a/b' }), 'bad_request')
    expect((await finalize({ upload_id, parts: 1 })).status).toBe(200)
  })

  it('403 forbidden for an upload of another account, 404 not_found for an unknown one, and no bytes are kept', async () => {
    const { upload_id } = dataOf(await json(0, 'a'))
    token = await newToken()
    const blobs = await site.sql('select key from blob')
    expectError(await json(0, 'b', upload_id), 'forbidden')
    expectError(await finalize({ upload_id, parts: 1 }), 'forbidden')
    expectError(await json(0, 'b', 987_654_321), 'not_found')
    expectError(await finalize({ upload_id: 987_654_321, parts: 1 }), 'not_found')
    expect(await site.sql('select key from blob')).toEqual(blobs)
  })

  it('404 not_found for an upload that has expired', async () => {
    const { upload_id } = dataOf(await json(0, 'a'))
    await site.sql(`update upload set expires_at = 1 where id = ${upload_id as number}`)
    for (const answer of [await json(1, 'b', upload_id), await finalize({ upload_id, parts: 1 })]) {
      expectError(answer, 'not_found')
      expect(answer.body['message']).toBe(
        `The upload ${upload_id} has expired: a day has passed since its last part. Start again.`,
      )
    }
  })

  it.each([
    [{ index: -1, content: '' }, /^index must be at least 0/],
    [{ index: 10_000, content: '' }, /^index must be at most 9999/],
    [{ content: '' }, /^index is required/],
    [{ index: 0, content: '', upload_id: 0 }, /^upload_id must be at least 1/],
  ])('400 bad_request for %j, and no upload is opened', async (body, message) => {
    const answer = await site.call('POST', '/v1/files/upload-chunk', { token, body })
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toMatch(message)
    const open = await site.sql('select u.id from upload u')
    dataOf(await json(0, 'a'))
    expect(await site.sql('select u.id from upload u')).toHaveLength(open.length + 1)
  })
})
