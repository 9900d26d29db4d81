import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { emptyPlace, svc, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { fieldPart, filePart, formOf, formType } from '../../packages/server/test/byte-forms.js'
import { openSocket, readToEnd } from '../../packages/server/test/raw-http.js'
import { fileClient, type FileClient } from '../file-client.js'
import { expectRowsStored, knownObjects, storedObjects } from '../stored-files.js'
import { isLong, random } from './random.js'

/** Connections that are reset in the middle of a transfer, or have several transfers at once. */

const email = 'ada@example.com'
let place: Place & AsyncDisposable
let server: Serving & AsyncDisposable
let files: FileClient
/** The headers that authenticate at each door. */
let doors: Readonly<Record<'/v1' | '/console/api', string>>
beforeAll(async () => {
  place = await emptyPlace()
  // The raw bytes that arrive whole open an upload each: more than an account may have.
  server = await svcServe(place, '--uploads-max', '0')
  const password = (await svc(['user', 'add', email], place)).stdout.trim()
  const token = (await svc(['token', 'add', email, '--name', 'e2e', '--scope', '*'], place)).stdout.trim()
  const signedIn = await fetch(`${server.url}/console/api/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.url },
    body: JSON.stringify({ email, password }),
  })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';', 1)[0] as string
  doors = { '/v1': `Authorization: Bearer ${token}`, '/console/api': `Cookie: ${cookie}\r\nOrigin: ${server.url}` }
  files = fileClient(server.url, token)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const content = Buffer.alloc(300_000, 'svc.')
const uploads: Readonly<Record<string, { path: string; type: string; body: Buffer }>> = {
  JSON: {
    path: '/files/upload',
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ name: 'a', content: content.toString('base64') })),
  },
  'a form': { path: '/files/upload', type: formType, body: formOf(fieldPart('name', 'a'), filePart(content)) },
  'raw bytes': { path: '/files/upload-chunk?index=0', type: 'application/octet-stream', body: content },
}
const doorNames = ['/v1', '/console/api'] as const

function request(door: (typeof doorNames)[number], form: string): Buffer {
  const { path, type, body } = uploads[form] as (typeof uploads)[string]
  const head = `POST ${door}${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${doors[door]}\r\nContent-Type: ${type}\r\n`
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${String(body.length)}\r\n\r\n`), body])
}

async function dial(): Promise<Socket> {
  const socket = await openSocket(server.url)
  socket.on('error', () => socket.destroy())
  return socket
}

/** Waits until every stored object has a row, and the other way round. */
async function expectNothingLeft(): Promise<void> {
  await vi.waitFor(
    async () => {
      const known = await knownObjects(place)
      expect(new Set((await storedObjects(place)).keys())).toEqual(new Set(known.keys()))
    },
    { timeout: 10_000, interval: 100 },
  )
  await expectRowsStored(place)
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
}

const rounds = isLong ? 300 : 25

describe.each(doorNames)('at %s', (door) => {
  it.each(Object.keys(uploads))(
    'an upload as %s that is reset at a random point keeps all or nothing',
    async (form) => {
      const { integer, pick } = random(`reset ${door} ${form}`)
      const bytes = request(door, form)
      const whole = await dial()
      whole.write(bytes)
      expect(String(await new Promise((resolve) => whole.once('data', resolve)))).toMatch(/^HTTP\/1\.1 200 /)
      whole.destroy()
      for (let round = 0; round < rounds; round++) {
        const socket = await dial()
        socket.write(bytes.subarray(0, pick([bytes.length, integer(1, bytes.length), bytes.length - 1])))
        await sleep(pick([0, 1, integer(0, 30)]))
        if (round % 3 === 0) socket.destroy()
        else socket.resetAndDestroy()
      }
      await expectNothingLeft()
    },
  )

  it('a download that is reset at a random point closes the file, and stops no other', async () => {
    const { integer, pick } = random(`download ${door}`)
    const upload = await files.sendParts([1, 2, 3].map((byte) => Buffer.alloc(2_000_000, byte)))
    const file = await files.call('files/upload-finalize', { upload_id: upload, name: 'a.bin', parts: 3 })
    let most = 0
    const id = file?.data['id'] as number
    const get = `GET ${door}/files/download?id=${id} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n${doors[door]}\r\n`
    for (let round = 0; round < rounds; round++) {
      const socket = await dial()
      const range = pick(['', 'Range: bytes=1999990-2000010\r\n', 'Range: bytes=0-9,3000000-5000000\r\n'])
      const stopAt = integer(0, 6_000_000)
      let received = 0
      socket.on('data', (chunk) => {
        received += chunk.length
        most = Math.max(most, received)
        if (received > stopAt) socket.resetAndDestroy()
      })
      socket.write(`${get}${range}\r\n`.repeat(pick([1, 1, 3])))
      const closed = new Promise((resolve) => socket.once('close', resolve))
      setTimeout(() => socket.resetAndDestroy(), integer(0, 50))
      await closed
    }
    expect(await files.download(id)).toEqual({ status: 200, bytes: 6_000_000 })
    expect(most).toBeGreaterThan(100_000)
    await expectNothingLeft()
  })
})

it('pipelined uploads of every form are answered in their order', async () => {
  const forms = ['raw bytes', 'JSON', 'a form', 'raw bytes', 'a form', 'JSON']
  const socket = await dial()
  const answer = readToEnd(socket)
  const before = (await knownObjects(place)).size
  for (const form of forms) socket.write(request('/v1', form))
  socket.write('GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const text = await answer
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual([...forms.map(() => 'HTTP/1.1 200'), 'HTTP/1.1 404'])
  expect(text.match(/"upload_id"|"share_url"/g)).toEqual(
    forms.map((form) => (form === 'raw bytes' ? '"upload_id"' : '"share_url"')),
  )
  expect((await knownObjects(place)).size).toBe(before + forms.length)
  await expectNothingLeft()
})

it('60 pipelined uploads, reset at a random point, keep all or nothing of each', async () => {
  const { integer } = random('pipelined')
  for (let round = 0; round < rounds / 5; round++) {
    const socket = await dial()
    socket.resume()
    const bytes = Buffer.concat(Array.from({ length: 60 }, () => request('/v1', 'raw bytes').subarray(0)))
    socket.write(bytes.subarray(0, integer(1, bytes.length)))
    await sleep(integer(0, 200))
    socket.resetAndDestroy()
  }
  await expectNothingLeft()
})
