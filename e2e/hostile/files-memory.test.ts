import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { openSocket } from '../../packages/server/test/raw-http.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileClient } from '../file-client.js'
import { openObjects, sqlOf, storedObjects } from '../stored-files.js'
import { isLong } from './random.js'

/** The memory and the open files of the server do not grow with the size of files or the number of slow clients. */

const mebibyte = 1024 * 1024
const growthMax = 100_000_000
/** The server ends a connection without a byte after 20 seconds, and looks once a second. */
const idleMs = 20_000

let place: Place & AsyncDisposable
let server: Serving & AsyncDisposable
let token: string
let files: FileClient
beforeAll(async () => {
  place = await emptyPlace()
  server = await svcServe(place)
  token = await accountToken(place, 'ada@example.com', 'files:write')
  files = fileClient(server.url, token)
  // Warm-up: the first uploads and downloads load code and fill the pools of buffers.
  for (let i = 0; i < 3; i++) await files.download(await uploadOf(Buffer.alloc(4 * mebibyte), 2))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

async function uploadOf(part: Buffer, count: number): Promise<number> {
  const upload = await files.sendParts(Array.from({ length: count }, () => part))
  const file = await files.call('files/upload-finalize', { upload_id: upload, name: 'a.bin', parts: count })
  expect(file).toMatchObject({ status: 200, data: { size: part.length * count } })
  return file?.data['id'] as number
}

/** The resident memory of the server, in bytes (proc(5)). */
async function memory(): Promise<number> {
  const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** @returns by how many bytes the memory was larger at a time during the work than before it */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = await memory()
  let most = before
  const state = { isDone: false }
  const working = work().finally(() => (state.isDone = true))
  while (!state.isDone) {
    most = Math.max(most, await memory())
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await working
  return most - before
}

const dial = (...lines: readonly string[]) => dialAs(token, ...lines)

async function dialAs(bearer: string, ...lines: readonly string[]): Promise<Socket> {
  const socket = await openSocket(server.url)
  socket.on('error', () => socket.destroy())
  socket.write([...lines, 'Host: localhost', `Authorization: Bearer ${bearer}`, '', ''].join('\r\n'))
  return socket
}

/** More than `growthMax`. */
const count = isLong ? 256 : 16
it(
  `a file of ${count * 8} MiB in parts of 8 MiB grows the memory by less than 100 MB`,
  { timeout: 600_000 },
  async () => {
    const part = Buffer.alloc(8 * mebibyte, 'svc')
    const growth = await growthOf(async () => {
      expect(await files.download(await uploadOf(part, count))).toEqual({ status: 200, bytes: part.length * count })
    })
    expect(growth).toBeLessThan(growthMax)
  },
)

describe('50 clients that stop reading a download of 64 MiB', () => {
  let id: number
  beforeAll(async () => {
    id = await uploadOf(Buffer.alloc(16 * mebibyte, 'svc'), 4)
  })

  async function readers(): Promise<Socket[]> {
    return Promise.all(
      Array.from({ length: 50 }, async () => {
        const socket = await dial(`GET /v1/files/download?id=${id} HTTP/1.1`)
        await new Promise((resolve) => socket.once('data', resolve))
        socket.pause()
        return socket
      }),
    )
  }

  it('cost less than 100 MB, and their files are closed when they leave', async () => {
    let sockets: Socket[] = []
    const growth = await growthOf(async () => {
      sockets = await readers()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    })
    expect(growth).toBeLessThan(growthMax)
    expect(await openObjects(place, server)).toBe(50)
    for (const [i, socket] of sockets.entries())
      if (i % 2 === 0) socket.destroy()
      else socket.resetAndDestroy()
    await vi.waitFor(async () => expect(await openObjects(place, server)).toBe(0), { timeout: 5_000 })
  })

  // Takes 20 seconds. The tests of slow clients in packages/server/src/http do the same with shorter deadlines in every run.
  if (isLong)
    it('50 clients that stop reading and 200 that stop sending are disconnected after the idle time, and nothing is left of them', async () => {
      const before = await storedObjects(place)
      const rows = await sqlOf(
        place,
        'select (select count(*) from blob) as blobs, (select count(*) from upload) as uploads',
      )
      // An account may have 16 requests that send bytes. The accounts are made before the idle time of the first client begins.
      const tokens = await Promise.all(
        Array.from({ length: 13 }, (_, i) => accountToken(place, `slow${i}@example.com`, 'files:write')),
      )
      const slow = await readers()
      for (let i = 0; i < 200; i++) {
        const form = i % 3
        const [path, type] = [
          ['upload', 'application/json'],
          ['upload', 'multipart/form-data; boundary=x'],
          ['upload-chunk?index=0', 'application/octet-stream'],
        ][form] as [string, string]
        const head = [
          '{"name":"a","content":"',
          '--x\r\nContent-Disposition: form-data; name="content"; filename="a"\r\n\r\n',
          '',
        ]
        const post = [`POST /v1/files/${path} HTTP/1.1`, `Content-Type: ${type}`, 'Content-Length: 1000000']
        const socket = await dialAs(tokens[Math.floor(i / 16)]!, ...post)
        // Contents of fewer bytes would not become an object.
        socket.write(`${head[form] ?? ''}${'A'.repeat(100_000)}`)
        socket.resume()
        slow.push(socket)
      }
      // Shorter than the idle time, after which the first of them are disconnected.
      await vi.waitFor(async () => expect(await openObjects(place, server)).toBe(250), { timeout: idleMs - 5_000 })
      await vi.waitFor(async () => expect(await openObjects(place, server)).toBe(0), {
        timeout: idleMs + 10_000,
        interval: 250,
      })
      // A paused socket does not notice the end of its connection.
      for (const socket of slow) socket.resume()
      await vi.waitFor(() => expect(slow.filter(({ closed }) => !closed)).toEqual([]), { timeout: 5_000 })
      expect(await storedObjects(place)).toEqual(before)
      expect(
        await sqlOf(place, 'select (select count(*) from blob) as blobs, (select count(*) from upload) as uploads'),
      ).toEqual(rows)
    })
})
