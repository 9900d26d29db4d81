import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseKinds, type Answer, type Envelope } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startSite, type Site } from '../../../../test/site.js'
import { startRequest } from '../../../../test/slow-request.js'

/** Uploads that are not finished: their list, their end, and their declared size. */

const limits = { bytesMax: 100, fileBytesMax: 50, uploadsMax: 0, filesMax: 0 }

describe.each(databaseKinds)('open uploads on %s', (kind) => {
  let site: Site
  let token: string
  let count = 0
  beforeAll(async () => {
    site = await startSite(kind, { files: limits })
  })
  beforeEach(async () => {
    token = await newToken()
  })
  afterAll(() => site.stop())

  const newToken = async () => site.token(await site.account(`ada${++count}@example.com`), 'files:write')
  const dataOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200)
    return answer.body['data'] as Envelope
  }
  const part = (index: number, bytes: number, rest: Envelope = {}) =>
    site.call('POST', '/v1/files/upload-chunk', {
      token,
      body: { ...rest, index, content: Buffer.alloc(bytes).toString('base64') },
    })
  const list = async (query = '') => dataOf(await site.call('GET', `/v1/files/uploads${query}`, { token }))
  const discard = (upload_id: unknown) => site.call('POST', '/v1/files/uploads/discard', { token, body: { upload_id } })
  const finalize = (upload_id: unknown, parts: number) =>
    site.call('POST', '/v1/files/upload-finalize', { token, body: { upload_id, parts, name: 'a.txt' } })
  const used = async () =>
    (await site.sql(`select bytes, uploads, objects from storage_use order by account_id desc limit 1`))[0]

  it('open uploads are listed with their size, parts and end, newest first, in pages', async () => {
    const { upload_id: first } = dataOf(await part(0, 3))
    const { upload_id: second } = dataOf(await part(1, 4, { size: 9 }))
    await part(0, 1, { upload_id: second })
    const { uploads, next, total } = await list()
    expect(uploads).toEqual([
      expect.objectContaining({ upload_id: second, size: 9, received_bytes: 5, parts: 2 }),
      expect.objectContaining({ upload_id: first, size: null, received_bytes: 3, parts: 1 }),
    ])
    expect([next, total]).toEqual([null, 2])
    const [{ updated_at, expires_at }] = uploads as [Envelope]
    expect(Date.parse(expires_at as string) - Date.parse(updated_at as string)).toBe(24 * 3600_000)
    const page = await list('?limit=1')
    expect(page).toMatchObject({ uploads: [{ upload_id: second }], next: second, total: 2 })
    expect((await list(`?limit=1&before=${page['next'] as number}`))['uploads']).toMatchObject([{ upload_id: first }])
    token = await newToken()
    expect(await list()).toEqual({ uploads: [], next: null, total: 0 })
  })

  it('open uploads free their bytes at once when they are discarded, and are gone', async () => {
    const { upload_id } = dataOf(await part(0, 40))
    await part(1, 5, { upload_id })
    expect(await used()).toEqual({ bytes: 45, uploads: 1, objects: 2 })
    expect(dataOf(await discard(upload_id))).toEqual({ upload_id, discarded: true })
    expect(await used()).toEqual({ bytes: 0, uploads: 0, objects: 0 })
    expect((await list())['uploads']).toEqual([])
    for (const answer of [await discard(upload_id), await part(2, 1, { upload_id }), await finalize(upload_id, 1)])
      expectError(answer, 'not_found')
    expect(await site.sql(`select part from upload_part where upload_id = ${upload_id as number}`)).toEqual([])
  })

  it('403 for an open upload of another account, which stays, and 400 for a finished one, whose file stays', async () => {
    const { upload_id } = dataOf(await part(0, 3))
    const owner = token
    token = await newToken()
    expectError(await discard(upload_id), 'forbidden')
    token = owner
    const file = dataOf(await finalize(upload_id, 1))
    expectError(await discard(upload_id), 'bad_request')
    expect((await list())['uploads']).toEqual([])
    expect((await site.call('GET', `/v1/files/download?id=${file['id'] as number}`, { token })).status).toBe(200)
  })

  it('an expired upload can be discarded before it is removed', async () => {
    const { upload_id } = dataOf(await part(0, 3))
    await site.sql(`update upload set expires_at = 1 where id = ${upload_id as number}`)
    expect((await discard(upload_id)).status).toBe(200)
    expect(await used()).toEqual({ bytes: 0, uploads: 0, objects: 0 })
  })

  it.each([
    ['the account', 101, { size: 101 }, /^size results in a file of 101 bytes; the limit is 50 bytes\.$/],
    ['a file', 51, { size: 51 }, /^size results in a file of 51 bytes/],
  ])(
    'a declared size beyond the limit of %s is refused with the first part, and no upload is left',
    async (...given) => {
      const [, , size, message] = given
      for (const answer of [await part(0, 1, size), await part(1, 1, size)]) {
        expectError(answer, 'bad_request')
        expect(answer.body['message']).toMatch(message)
      }
      expect((await list())['total']).toBe(0)
    },
  )

  it('a declared size that the other files leave no room for is refused before the first byte', async () => {
    for (const size of [40, 40]) await part(0, size)
    const path = '/v1/files/upload-chunk?index=0&size=30'
    const request = await startRequest(site.url, { token, path, type: 'application/octet-stream', length: 8 })
    const answer = await request.answer
    request.leave()
    expectError(answer, 'bad_request')
    expect(answer.body['message']).toBe(
      'size needs 30 bytes, but the account uses 80 bytes of 100 bytes: delete files, or discard open uploads.',
    )
    expect((await list())['total']).toBe(2)
  })

  it('of two uploads that do not fit together, the part that shows it is refused, and the other one goes on after a discard', async () => {
    const first = dataOf(await part(0, 20, { size: 50 }))['upload_id']
    const second = dataOf(await part(0, 30, { size: 50 }))['upload_id']
    const filler = dataOf(await part(0, 35))['upload_id']
    const refused = await part(1, 5, { upload_id: second })
    expectError(refused, 'bad_request')
    expect(refused.body['message']).toMatch(/^size needs 20 bytes, but the account uses 85 bytes/)
    await discard(filler)
    await discard(first)
    expect((await part(1, 20, { upload_id: second })).status).toBe(200)
    expect((await finalize(second, 2)).status).toBe(200)
  })

  it('uploads keep to their declared size: more bytes, another size and fewer bytes at the end are refused', async () => {
    const { upload_id } = dataOf(await part(0, 3, { size: 5 }))
    const message = async (answer: Answer | Promise<Answer>) => {
      expectError(await answer, 'bad_request')
      return (await answer).body['message'] as string
    }
    expect(await message(part(1, 3, { upload_id }))).toBe(
      'content results in 6 bytes, but the upload was declared with 5.',
    )
    expect(await message(part(1, 2, { upload_id, size: 6 }))).toMatch(
      /^size is 6, but the upload \d+ was declared with 5/,
    )
    expect(await message(finalize(upload_id, 1))).toBe('The parts have 3 bytes, but the upload was declared with 5.')
    expect((await part(1, 2, { upload_id, size: 5 })).status).toBe(200)
    expect((await finalize(upload_id, 2)).status).toBe(200)
  })

  it('a later part may be the first that declares the size', async () => {
    const { upload_id } = dataOf(await part(0, 3))
    expectError(await part(1, 1, { upload_id, size: 51 }), 'bad_request')
    expect((await part(1, 1, { upload_id, size: 4 })).status).toBe(200)
    expect((await list())['uploads']).toMatchObject([{ size: 4 }])
  })
})
