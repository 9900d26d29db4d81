import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, type Envelope } from '../../../../test/app.js'
import { startSite, type Site } from '../../../../test/site.js'

/** Parts of an account that has no bytes left. */

describe.each(databaseKinds)('a full account on %s', (kind) => {
  let site: Site
  let token: string
  beforeAll(async () => {
    site = await startSite(kind, { files: { bytesMax: 10, fileBytesMax: 0, uploadsMax: 0, filesMax: 0 } })
    token = await site.token(await site.account('ada@example.com'), 'files:write')
  })
  afterAll(() => site.stop())

  async function raw(query: string, content: string) {
    const answer = await fetch(`${site.url}/v1/files/upload-chunk?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body: content,
    })
    return { status: answer.status, body: (await answer.json()) as Envelope }
  }

  it('a full account may replace a part by raw bytes that are not longer, and may not add one', async () => {
    const { body } = await raw('index=0', 'a'.repeat(6))
    const { upload_id: id } = body['data'] as { upload_id: number }
    expect((await raw(`upload_id=${id}&index=1`, 'b'.repeat(4))).status).toBe(200)

    expect((await raw(`upload_id=${id}&index=1`, 'c'.repeat(4))).status).toBe(200)
    const full = 'content is too large: the account uses 10 bytes of 10 bytes.'
    expect(await raw(`upload_id=${id}&index=1`, 'c'.repeat(5))).toMatchObject({ status: 400, body: { message: full } })
    expect(await raw(`upload_id=${id}&index=2`, 'd')).toMatchObject({ status: 400, body: { message: full } })
    expect(await raw('index=0', 'd')).toMatchObject({ status: 400, body: { message: full } })

    const name = { upload_id: id, name: 'a.txt', parts: 2 }
    const file = await site.call('POST', '/v1/files/upload-finalize', { token, body: name })
    const { id: fileId } = file.body['data'] as { id: number }
    expect((await site.call('GET', `/v1/files/download?id=${fileId}`, { token })).text).toBe('aaaaaacccc')
  })

  it('a full account may replace a part by JSON whose upload_id and index stand before its bytes', async () => {
    token = await site.token(await site.account('bob@example.com'), 'files:write')
    const { body } = await raw('index=0', 'a'.repeat(10))
    const { upload_id: id } = body['data'] as { upload_id: number }
    const json = (text: string) => site.call('POST', '/v1/files/upload-chunk', { token, body: text })
    const content = Buffer.from('b'.repeat(10)).toString('base64')

    const behind = await json(`{"content":"${content}","upload_id":${id},"index":0}`)
    expect(behind).toMatchObject({ status: 400, body: { message: expect.stringMatching(/uses 10 bytes of 10 bytes/) } })
    expect((await json(`{"upload_id":${id},"index":0,"content":"${content}"}`)).status).toBe(200)
    const longer = Buffer.from('b'.repeat(11)).toString('base64')
    expect((await json(`{"upload_id":${id},"index":0,"content":"${longer}"}`)).status).toBe(400)
  })
})
