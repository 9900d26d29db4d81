import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { fieldPart, filePart, formType } from '../../packages/server/test/byte-forms.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileClient } from '../file-client.js'
import { objectsFolderOf, sqlOf } from '../stored-files.js'
import { guardedServer } from './guarded-server.js'
import { isLong } from './random.js'
import { rawRequest } from './raw-request.js'

/** No transfer of files blocks the event loop. */

const mebibyte = 1024 * 1024
const { place, url, send, post, expectNoGap } = guardedServer('sqlite')

let token: string
let files: FileClient
beforeAll(async () => {
  token = await accountToken(place(), 'grace@example.com', '*')
  files = fileClient(url(), token)
})

const accountId = "(select id from account where email = 'grace@example.com')"
const pathOf = (key: string) => join(objectsFolderOf(place()), key.charAt(0), key.charAt(1), key)

/** An upload with the parts of another one, whose bytes are not sent again. Only the first part is. */
async function copyOf(upload: number, first: Buffer): Promise<number> {
  const copy = await files.sendParts([first])
  const parts = await sqlOf(place(), `select * from upload_part where upload_id = ${upload} and part > 0`)
  for (const { part, blob_key, size } of parts) {
    const key = `${randomBytes(16).toString('hex')}-1`
    linkSync(pathOf(String(blob_key)), pathOf(key))
    await sqlOf(place(), `insert into blob (key, size) values ('${key}', ${String(size)})`)
    await sqlOf(place(), `insert into upload_part values (${copy}, ${String(part)}, '${key}', ${String(size)})`)
    await sqlOf(
      place(),
      `update storage_use set bytes = bytes + ${String(size)}, objects = objects + 1 where account_id = ${accountId}`,
    )
  }
  return copy
}

/** A finalize that fails, so that it can be repeated. */
const finalizeWrongly = async (upload: number, parts: number) => {
  const body = { upload_id: upload, name: 'a.bin', parts, sha256: '0'.repeat(64) }
  expect(await files.call('files/upload-finalize', body)).toMatchObject({
    status: 400,
    data: { message: expect.stringContaining('The parts are kept') },
  })
}

/** The same with another part 0 each time, so that it reads all bytes. */
const finalizeChanged = async (upload: number, parts: number) => {
  expect(await files.sendPart(upload, 0, Buffer.from('a'))).toMatchObject({ status: 200 })
  await finalizeWrongly(upload, parts)
}

describe('finalizes at the same time', () => {
  it(
    `8 parallel finalizes of ${isLong ? 256 : 64} MiB each do not block the event loop`,
    { timeout: 300_000 },
    async () => {
      const large = Array.from({ length: isLong ? 32 : 8 }, () => Buffer.alloc(8 * mebibyte, 'svc'))
      const first = Buffer.from('a')
      const parts = [first, ...large]
      const uploads = [await files.sendParts(parts)]
      while (uploads.length < 8) uploads.push(await copyOf(uploads[0]!, first))
      await expectNoGap(() => Promise.all(uploads.map((upload) => finalizeChanged(upload, parts.length))))
    },
  )

  it('300 parallel finalizes of one upload of 1 MiB do not block the event loop', async () => {
    const upload = await files.sendParts([Buffer.from('a'), Buffer.alloc(mebibyte, 'svc')])
    await expectNoGap(async () => {
      await files.sendPart(upload, 0, Buffer.from('a'))
      await Promise.all(Array.from({ length: 300 }, () => finalizeWrongly(upload, 2)))
    })
  })
})

describe('an upload of 64 MiB', () => {
  const bytes = Buffer.alloc(64 * mebibyte, 'svc')

  it('an upload of 64 MiB as base64 in JSON does not block the event loop', async () => {
    const body = Buffer.from(`{"name":"a.bin","content":"${bytes.toString('base64')}"}`)
    await expectNoGap(async () => {
      const headers = { 'content-type': 'application/json' }
      const answer = await send({ method: 'POST', path: '/v1/files/upload', headers, body })
      expect(answer).toMatchObject({ status: 200, text: expect.stringContaining(`"size":${bytes.length},`) })
    })
  })

  it('an upload of 64 MiB as a form does not block the event loop', async () => {
    const body = Buffer.concat([Buffer.from('--x\r\n'), filePart(bytes), Buffer.from('\r\n--x--\r\n')])
    await expectNoGap(async () => {
      const answer = await send({
        method: 'POST',
        path: '/v1/files/upload',
        headers: { 'content-type': formType },
        body,
      })
      expect(answer?.status).toBe(200)
    })
  })

  it('an upload of 64 MiB in raw bytes, and its download by 4 clients, do not block the event loop', async () => {
    const upload = await files.sendParts([bytes])
    const file = await files.call('files/upload-finalize', { upload_id: upload, name: 'a.bin', parts: 1 })
    const id = file?.data['id'] as number
    await expectNoGap(async () => {
      for (const received of await Promise.all([1, 2, 3, 4].map(() => files.download(id))))
        expect(received).toEqual({ status: 200, bytes: bytes.length })
    })
  })
})

describe('a hostile form', () => {
  const repeated = (piece: string) => Buffer.from(`${`--x\r\n${piece}\r\n`.repeat(50_000)}--x--\r\n`)
  it.each([
    ['fields', repeated(fieldPart('a', ''))],
    [
      'different fields',
      Buffer.from(Array.from({ length: 50_000 }, (_, i) => `--x\r\n${fieldPart(`f${i}`, '')}\r\n`).join('')),
    ],
    ['files', repeated(filePart('').toString())],
    ['empty parts', repeated('\r\n')],
    ['boundaries', Buffer.from('--x\r\n'.repeat(200_000))],
    ['almost boundaries in a file', Buffer.concat([Buffer.from('--x\r\n'), filePart('\r\n--y'.repeat(500_000))])],
    ['header lines', Buffer.from(`--x\r\n${'a: b\r\n'.repeat(200_000)}`)],
    ['one long header', Buffer.from(`--x\r\ncontent-disposition: form-data; name="${'a'.repeat(mebibyte)}`)],
  ])('a hostile form of %s does not block the event loop', async (_, body) => {
    await expectNoGap(async () => {
      const answer = await send({
        method: 'POST',
        path: '/v1/files/upload',
        headers: { 'content-type': formType },
        body,
      })
      // The server may close the connection before it has read all of a form that it refuses.
      expect(answer?.status ?? 400).toBe(400)
    })
  })

  it('hostile base64 in JSON does not block the event loop', async () => {
    for (const piece of ['=', '\\u0041', '\\/', '!', 'A=', '\\', '","content":"'])
      await expectNoGap(() =>
        post('/v1/files/upload', `{"name":"a","content":"${piece.repeat((8 * mebibyte) / piece.length)}"}`),
      )
  })
})

describe('rows', () => {
  /** Inserts rows with the numbers 0 to `count` - 1 as `n`. */
  const insertMany = (count: number, into: string, select: string, where = 'true') =>
    sqlOf(
      place(),
      `with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})
      insert into ${into} select ${select} from numbers where ${where}`,
    )

  it('lists of 1,000 shared files for 20 clients do not block the event loop', async () => {
    await insertMany(
      1_000,
      'file (account_id, name, media_type, size, sha256, share_key, edge_ttl, serving, edge_version, created_at, updated_at)',
      `${accountId}, 'f' || n || '.txt', 'text/plain', 0, hex(zeroblob(32)), 'key' || n, 3600, 1, 0, n, n`,
    )
    await expectNoGap(async () => {
      for (const answer of await Promise.all(Array.from({ length: 20 }, () => files.call('files?limit=1000'))))
        expect(answer?.data['files']).toHaveLength(1_000)
    })
    await expectNoGap(async () => {
      for (const answer of await Promise.all(Array.from({ length: 20 }, () => files.call('cdn/stats?limit=1000'))))
        expect(answer?.data['files']).toHaveLength(1_000)
    })
  })

  it(
    'the finalize, the downloads and the deletion of 10,000 parts do not block the event loop',
    { timeout: 120_000 },
    async () => {
      const count = 10_000
      const upload = await files.sendParts([Buffer.from('a')])
      const prefix = randomBytes(14).toString('hex')
      const keyOf = (n: number) => `${n.toString(16).padStart(4, '0')}${prefix}-1`
      for (let n = 1; n < count; n++) writeFileSync(pathOf(keyOf(n)), 'a')
      const key = `printf('%04x', n) || '${prefix}-1'`
      await insertMany(count, 'blob', `${key}, 1`, 'n > 0')
      await insertMany(count, 'upload_part', `${upload}, n, ${key}, 1`, 'n > 0')
      await sqlOf(
        place(),
        `update storage_use set bytes = bytes + ${count - 1}, objects = objects + ${count - 1} where account_id = ${accountId}`,
      )

      await expectNoGap(() => finalizeChanged(upload, count))
      await expectNoGap(() => Promise.all(Array.from({ length: 50 }, () => finalizeWrongly(upload, count))))
      let id = 0
      await expectNoGap(async () => {
        const body = { upload_id: upload, name: 'a.bin', parts: count }
        const file = await files.call('files/upload-finalize', body)
        expect(file).toMatchObject({ status: 200, data: { size: count } })
        id = file?.data['id'] as number
      })
      await expectNoGap(async () => {
        expect(await files.download(id)).toEqual({ status: 200, bytes: count })
      })
      await expectNoGap(async () => {
        const headers = { authorization: `Bearer ${token}`, range: `bytes=${count - 3}-` }
        const range = await rawRequest(url(), { path: `/v1/files/download?id=${id}`, headers })
        expect(range).toEqual({ status: 206, text: 'aaa' })
      })
      await expectNoGap(async () => {
        const ranges = Array.from({ length: 50 }, (_, i) => `${i * 200}-${i * 200 + 2}`).join(', ')
        const headers = { authorization: `Bearer ${token}`, range: `bytes=${ranges}` }
        const request = () => rawRequest(url(), { path: `/v1/files/download?id=${id}`, headers })
        for (const answer of await Promise.all(Array.from({ length: 20 }, request))) {
          expect(answer?.status).toBe(206)
          expect(answer?.text.match(/\r\naaa\r\n/g)).toHaveLength(50)
        }
      })
      await expectNoGap(() => files.call('files/delete', { id }))
      await expect.poll(() => existsSync(pathOf(keyOf(1))), { timeout: 60_000 }).toBe(false)
      expect(await files.call(`files/${id}`)).toMatchObject({ status: 404 })
    },
  )
})
