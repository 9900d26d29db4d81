import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { expectError } from '../../../../test/raw-http.js'
import { startRequest } from '../../../../test/slow-request.js'
import { startSite, type Site } from '../../../../test/site.js'

/** Parts that are refused before their bytes arrive. */

describe.each(databaseKinds)('a part of an upload that cannot go on, on %s', (kind) => {
  let site: Site
  let token: string
  let foreign: number
  let finished: number
  let expired: number
  beforeAll(async () => {
    site = await startSite(kind)
    foreign = await newUpload(await newToken('bob@example.com'))
    token = await newToken('ada@example.com')
    finished = await newUpload(token)
    const body = { upload_id: finished, name: 'a', parts: 1 }
    expect((await site.call('POST', '/v1/files/upload-finalize', { token, body })).status).toBe(200)
    expired = await newUpload(token)
    await site.sql(`update upload set expires_at = 1 where id = ${expired}`)
  })
  afterAll(() => site.stop())

  const newToken = async (email: string) => site.token(await site.account(email), 'files:write')
  async function newUpload(as: string): Promise<number> {
    const { body } = await site.call('POST', '/v1/files/upload-chunk', {
      token: as,
      body: { index: 0, content: 'YQ==' },
    })
    return body['data'].upload_id as number
  }

  const cases: readonly (readonly [string, () => number, string, RegExp])[] = [
    ['unknown', () => 987_654_321, 'not_found', /^There is no upload 987654321\.$/],
    ['expired', () => expired, 'not_found', /^The upload \d+ has expired/],
    ['of another account', () => foreign, 'forbidden', /^This upload belongs to another account\.$/],
    ['finished', () => finished, 'bad_request', /^upload_id names a finished upload/],
  ]
  const length = 1_000_000

  it.each(cases)('%s: raw bytes are refused before the first byte', async (_, id, code, message) => {
    const path = `/v1/files/upload-chunk?index=0&upload_id=${id()}`
    const request = await startRequest(site.url, { token, path, type: 'application/octet-stream', length })
    const answer = await request.answer
    expectError(answer, code)
    expect(answer.body['message']).toMatch(message)
    request.leave()
  })

  it.each(cases)('%s: JSON is refused when its bytes begin', async (_, id, code, message) => {
    const path = '/v1/files/upload-chunk'
    const request = await startRequest(site.url, { token, path, type: 'application/json', length })
    request.write(`{"upload_id":${id()},"index":0,`)
    request.write('"content":"')
    const answer = await request.answer
    expectError(answer, code)
    expect(answer.body['message']).toMatch(message)
    request.leave()
  })

  it.each(cases)('%s: JSON with the id behind the bytes is refused at its end', async (_, id, code, message) => {
    const body = `{"index":0,"content":"YQ==","upload_id":${id()}}`
    const answer = await site.call('POST', '/v1/files/upload-chunk', { token, body })
    expectError(answer, code)
    expect(answer.body['message']).toMatch(message)
  })
})
