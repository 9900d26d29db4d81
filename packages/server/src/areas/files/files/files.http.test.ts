import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { expectError, send } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'

/** Files through the real server (specification, section 4.5). */

const base64 = (content: string) => Buffer.from(content).toString('base64')
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe.each(databaseKinds)('files on %s', (kind) => {
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
  const call = (method: string, path: string, body?: unknown) =>
    site.call(method, `/v1/files${path}`, { token, ...(body !== undefined && { body }) })
  const post = (path: string, body: unknown) => call('POST', path, body)
  const uploadAnswer = (content: string, rest: Envelope = {}) =>
    post('/upload', { name: 'notes.txt', content: base64(content), ...rest })
  const dataOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Envelope
  }
  const upload = async (content: string, rest?: Envelope) => dataOf(await uploadAnswer(content, rest))
  const get = async (id: number) => dataOf(await call('GET', `/${id}`))
  const list = async (query = '') => dataOf(await call('GET', query))
  const download = (id: number, headers: Record<string, string> = {}) =>
    site.call('GET', `/v1/files/download?id=${id}`, { token, headers })
  const refused = (answer: Answer, code: string, message: RegExp) => {
    expectError(answer, code)
    expect(answer.body['message']).toMatch(message)
  }

  it('upload answers with the file, which get, list and download have too', async () => {
    const file = await upload('hello')
    expect(file).toEqual({
      id: expect.any(Number),
      name: 'notes.txt',
      size: 5,
      media_type: 'text/plain',
      sha256: sha256('hello'),
      shared: false,
      share_url: null,
      created_at: time,
      updated_at: file['created_at'],
    })
    expect(await get(file['id'])).toEqual(file)
    expect(await list()).toEqual({ files: [file], next: null, total: 1 })
    const answer = await download(file['id'])
    expect([answer.status, answer.text]).toEqual([200, 'hello'])
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'content-disposition': 'attachment; filename=notes.txt',
      etag: expect.stringMatching(new RegExp(`^"${sha256('hello')}-[\\w-]{11}"$`)),
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    [8192, 1, 0],
    [8193, 0, 1],
  ])('a file of %i bytes has its contents in %i row, or in %i object', async (size, contents, parts) => {
    const text = Array.from({ length: size }, (_, i) => i % 10).join('')
    const { id, sha256: digest } = await upload(text)
    expect(digest).toBe(sha256(text))
    expect((await download(id)).text).toBe(text)
    expect((await download(id, { range: 'bytes=8190-8191' })).text).toBe('01')
    expect((await download(id, { range: 'bytes=0-1, 11-12' })).text).toMatch(/\r\n\r\n01\r\n--[^]*\r\n\r\n12\r\n--/)
    expect(await site.sql(`select file_id from file_content where file_id = ${id}`)).toHaveLength(contents)
    expect(await site.sql(`select file_id from file_part where file_id = ${id}`)).toHaveLength(parts)
  })

  it('upload takes a form, whose file part has the name and the type', async () => {
    const form = new FormData()
    form.set('shared', 'true')
    form.set('content', new Blob(['<p>hello'], { type: 'text/html' }), 'page.htm')
    const response = await fetch(`${site.url}/v1/files/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
    const { data } = (await response.json()) as Envelope
    expect(data).toMatchObject({ name: 'page.htm', media_type: 'text/html', shared: true, size: 8 })
    expect((await download(data.id)).text).toBe('<p>hello')
  })

  it.each(['C:\\dir\\page.htm', '/home/ada/page.htm', 'dir/page.htm'])(
    'upload takes a form of a browser that sends the path %s',
    async (path) => {
      const form = new FormData()
      form.set('content', new Blob(['x'], { type: 'text/html' }), path)
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(`${site.url}/v1/files/upload`, { method: 'POST', headers, body: form })
      expect(((await response.json()) as Envelope)['data']).toMatchObject({ name: 'page.htm' })
    },
  )

  it('upload keeps the declared media type, and shares the file if asked', async () => {
    const file = await upload('x', { media_type: 'text/markdown; charset=utf-8', shared: true, name: 'ü.md' })
    expect(file).toMatchObject({ media_type: 'text/markdown; charset=utf-8', shared: true, name: 'ü.md' })
    expect(file['share_url']).toMatch(/^http:\/\/[^/]+\/s\/[\w-]{22}\/%C3%BC\.md$/)
  })

  it('an empty file is a file', async () => {
    const file = await upload('')
    expect(file).toMatchObject({ size: 0, sha256: sha256('') })
    const answer = await download(file['id'])
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0'])
    expect(dataOf(await post('/delete', { id: file['id'] }))).toEqual({ id: file['id'], deleted: true })
  })

  it('download answers ranges and conditional requests', async () => {
    const { id } = await upload('0123456789')
    const part = await download(id, { range: 'bytes=2-4' })
    expect([part.status, part.text, part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10'])
    const known = await download(id, { 'if-none-match': part.headers.get('etag') ?? '' })
    expect([known.status, known.text]).toEqual([304, ''])
    refused(await download(id, { range: 'bytes=10-' }), 'bad_request', /Range/)
  })

  it.each([
    ['', /^name must not be empty/],
    ['a/b', /^name must not contain slashes/],
    ['..', /^name must not be \. or \.\./],
    ['CON.txt', /^name must not be a Windows device name/],
    ['a\u202etxt.exe', /^name must not contain control characters/],
    ['ü'.repeat(128), /^name must have at most 255 bytes in UTF-8, not 256/],
  ])('400 bad_request for the name %j in each request with a name, and nothing changes', async (name, message) => {
    const file = await upload('x')
    refused(await uploadAnswer('y', { name }), 'bad_request', message)
    refused(await post('/rename', { id: file['id'], name }), 'bad_request', message)
    refused(await post('/update', { id: file['id'], name, shared: true }), 'bad_request', message)
    expect(await list()).toEqual({ files: [file], next: null, total: 1 })
  })

  it('update changes the supplied fields only, and rename the name', async () => {
    const file = await upload('x')
    const renamed = dataOf(await post('/rename', { id: file['id'], name: 'b.txt' }))
    expect(renamed).toEqual({ ...file, name: 'b.txt', updated_at: time })
    const updated = dataOf(await post('/update', { id: file['id'], media_type: 'text/css' }))
    expect(updated).toEqual({ ...renamed, media_type: 'text/css', updated_at: time })
    expect(await get(file['id'])).toEqual(updated)
    expect((await download(file['id'])).headers.get('content-disposition')).toBe('attachment; filename=b.txt')
  })

  it('update without a change answers with the file as it is', async () => {
    const file = await upload('x')
    for (const body of [{}, { shared: false }, { name: 'notes.txt' }, { media_type: 'text/plain' }])
      expect(dataOf(await post('/update', { id: file['id'], ...body }))).toEqual(file)
  })

  it('delete removes the file and its bytes', async () => {
    const { id } = await upload('secret contents'.repeat(1000))
    const small = await upload('secret contents')
    const objects = await site.sql('select blob_key from file_part')
    expect(dataOf(await post('/delete', { id }))).toEqual({ id, deleted: true })
    for (const answer of [await call('GET', `/${id}`), await download(id), await post('/delete', { id })])
      refused(answer, 'not_found', new RegExp(`There is no file ${id}\\.`))
    expect(await site.sql('select blob_key from file_part')).toHaveLength(objects.length - 1)
    expect(dataOf(await post('/delete', { id: small['id'] }))).toEqual({ id: small['id'], deleted: true })
    expect(await site.sql(`select bytes from file_content where file_id = ${small['id']}`)).toEqual([])
    expect(await list()).toEqual({ files: [], next: null, total: 0 })
    expect(site.log.join('\n')).not.toContain('could not be removed')
  })

  it('the list has pages, newest first', async () => {
    const ids: number[] = []
    for (const content of ['a', 'b', 'c']) ids.unshift((await upload(content))['id'])
    const page = async (query: string) => {
      const { files, next, total } = await list(query)
      return [files.map(({ id }: Envelope) => id as number), next, total]
    }
    expect(await page('?limit=2')).toEqual([ids.slice(0, 2), ids[1], 3])
    expect(await page(`?limit=2&before=${ids[1]!}`)).toEqual([ids.slice(2), null, 3])
    expect(await page(`?before=${ids[2]!}`)).toEqual([[], null, 3])
  })

  it('403 forbidden for a file of another account, which does not change', async () => {
    const file = await upload('x')
    const owner = token
    token = await newToken()
    const { id } = file
    const calls: (() => Promise<Answer>)[] = [
      () => call('GET', `/${id}`),
      () => download(id),
      () => post('/update', { id, shared: true }),
      () => post('/rename', { id, name: 'b' }),
      () => post('/delete', { id }),
    ]
    for (const request of calls) expectError(await request(), 'forbidden')
    expect(await list()).toEqual({ files: [], next: null, total: 0 })
    token = owner
    expect(await get(id)).toEqual(file)
  })

  it('400 for a compressed upload', async () => {
    for (const coding of [{ 'content-encoding': 'gzip' }, { 'transfer-encoding': 'gzip, chunked' }]) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream', ...coding }
      const answer = await send(site.url, 'POST', '/v1/files/upload?name=a', { headers, body: 'a' })
      expectError(answer, 'bad_request')
      expect(answer.body['message']).toMatch(/-Encoding .*: send the body without compression\.$/)
    }
    expect((await list())['total']).toBe(0)
  })

  it.each(['0', '-1', '1.5', 'x', '99999999999999999999', '987654321'])(
    '404 not_found for the id %s in a path',
    async (id) => {
      const answer = await call('GET', `/${id}`)
      expectError(answer, 'not_found')
      expect(answer.body['message']).toContain(id)
    },
  )

  it('502 upstream_error if the bytes are missing, with a line in the log', async () => {
    const { id } = await upload('x'.repeat(10_000))
    const [row] = await site.sql(`select blob_key from file_part where file_id = ${id}`)
    await site.removeObject(String(row!['blob_key']))
    refused(await download(id), 'upstream_error', /cannot be read: the file or its directory is missing/)
    expect(site.log.join('\n')).toContain('the blob store failed')
  })
})

describe('limits', () => {
  it('an upload beyond a limit: 400 bad_request with the used and the allowed bytes, and nothing is kept', async () => {
    const limits = { bytesMax: 10, fileBytesMax: 8, uploadsMax: 1, filesMax: 0 }
    const site = await startSite('sqlite', { files: limits })
    const token = await site.token(await site.account('ada@example.com'), 'files:write')
    const upload = (content: string) =>
      site.call('POST', '/v1/files/upload', { token, body: { name: 'a', content: base64(content) } })
    const message = async (content: string) => (await upload(content)).body['message'] as string
    expect(await message('123456789')).toBe('content is too large: a file may have 8 bytes.')
    expect((await upload('12345678')).status).toBe(200)
    expect(await message('123')).toBe('content is too large: the account uses 8 bytes of 10 bytes.')
    expect((await upload('12')).status).toBe(200)
    expect(await message('1')).toBe('content is too large: the account uses 10 bytes of 10 bytes.')
    expect((await upload('')).status).toBe(200)
    expect(await site.sql('select bytes, files from storage_use')).toEqual([{ bytes: 10, files: 3 }])
    expect(await site.sql('select file_id from file_content')).toHaveLength(2)
    await site.stop()
  })

  it('a file beyond the limit: 400 bad_request with the used and the allowed number', async () => {
    const site = await startSite('sqlite', { files: { ...noLimits, filesMax: 2 } })
    const token = await site.token(await site.account('ada@example.com'), 'files:write')
    const call = (path: string, body: object) => site.call('POST', `/v1/files/${path}`, { token, body })
    const { body } = await call('upload-chunk', { index: 0, content: 'YQ==' })
    const uploadId = body['data'].upload_id as number
    expect((await call('upload', { name: 'a', content: '' })).status).toBe(200)
    for (const refused of [
      await call('upload', { name: 'a', content: '' }),
      await call('upload-chunk', { index: 0, content: '' }),
      await call('upload-chunk', { content: '', index: 1, upload_id: uploadId }),
      await call('upload-chunk', { upload_id: uploadId, index: 1, content: '' }),
    ]) {
      expectError(refused, 'bad_request')
      expect(refused.body['message']).toBe(
        'content cannot be stored: the account has 2 files and parts of uploads, and may have 2. Delete files, or discard open uploads.',
      )
    }
    expect((await call('upload-chunk', { upload_id: uploadId, index: 0, content: 'Yg==' })).status).toBe(200)
    expect(await site.sql('select files, objects from storage_use')).toEqual([{ files: 1, objects: 2 }])
    await site.stop()
  })
})
