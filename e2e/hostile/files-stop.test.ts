import { truncate } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place, type Serving } from '../../packages/cli/test/svc.js'
import { openSocket, parseAnswer, readToEnd } from '../../packages/server/test/raw-http.js'
import { accountToken } from '../account-token.js'
import { fileClient, type FileClient } from '../file-client.js'
import { expectRowsStored, knownObjects, objectsFolderOf, openObjects, sqlOf, storedObjects } from '../stored-files.js'

/** SIGTERM in the middle of transfers: those that end in time are complete, and nothing is left of the others. */

const mebibyte = 1024 * 1024

/** A server with one account. */
interface Transfers {
  readonly place: Place
  readonly server: Serving
  readonly token: string
  readonly dial: (...lines: readonly string[]) => Promise<Socket>
}

async function withServer(work: (transfers: Transfers) => Promise<void>): Promise<void> {
  await using place = await emptyPlace()
  const token = await accountToken(place, 'ada@example.com', 'files:write')
  await using server = await svcServe(place)
  const dial: Transfers['dial'] = async (...lines) => {
    const socket = await openSocket(server.url)
    socket.on('error', () => socket.destroy())
    socket.write([...lines, 'Host: localhost', `Authorization: Bearer ${token}`, '', ''].join('\r\n'))
    return socket
  }
  await work({ place, server, token, dial })
}

/** Checks that the server ends in time with exit code 0, and that every stored object has a row, and the other way round. */
async function expectCleanStop({ place, server }: Transfers, atMostMs = 10_000): Promise<void> {
  const from = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(atMostMs)
  await expectRowsStored(place)
  expect(new Set((await storedObjects(place)).keys())).toEqual(new Set((await knownObjects(place)).keys()))
}

const raw = 'Content-Type: application/octet-stream'
const postPart = 'POST /v1/files/upload-chunk?index=0 HTTP/1.1'

it.concurrent('transfers that end in time are complete', () =>
  withServer(async (transfers) => {
    const { server, token, dial, place } = transfers
    const files = fileClient(server.url, token)
    const upload = await files.sendParts([Buffer.alloc(32 * mebibyte, 'svc')])
    const file = await files.call('files/upload-finalize', { upload_id: upload, name: 'a.bin', parts: 1 })
    const uploading = await dial(postPart, raw, 'Content-Length: 1000')
    uploading.write(Buffer.alloc(500))
    const downloading = await dial(
      `GET /v1/files/download?id=${file?.data['id'] as number} HTTP/1.1`,
      'Connection: close',
    )
    let received = 0
    downloading.once('data', (chunk: Buffer) => {
      received += chunk.length
      downloading.pause()
    })
    await vi.waitFor(() => expect(received).toBeGreaterThan(0))
    await vi.waitFor(async () => expect((await storedObjects(place)).size).toBe(2), { timeout: 10_000 })
    const answer = readToEnd(uploading)
    const stopped = expectCleanStop(transfers)
    await sleep(500)
    downloading.on('data', (chunk: Buffer) => (received += chunk.length)).resume()
    uploading.write(Buffer.alloc(500))
    await stopped
    expect(parseAnswer(await answer)).toMatchObject({ status: 200, body: { data: { size: 1000 } } })
    expect(received).toBeGreaterThan(32 * mebibyte)
    expect((await knownObjects(place)).size).toBe(2)
  }))

it.concurrent('transfers without an end are cut off, and nothing is left of them', () =>
  withServer(async (transfers) => {
    const { server, token, dial, place } = transfers
    const files = fileClient(server.url, token)
    const upload = await files.sendParts([Buffer.alloc(32 * mebibyte, 'svc')])
    const file = await files.call('files/upload-finalize', { upload_id: upload, name: 'a.bin', parts: 1 })
    const uploads = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const socket = await dial(postPart, raw, 'Content-Length: 1000000000')
        socket.resume()
        void trickle(socket)
        return socket
      }),
    )
    const downloads = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = await dial(`GET /v1/files/download?id=${file?.data['id'] as number} HTTP/1.1`)
        await new Promise((resolve) => socket.once('data', resolve))
        socket.pause()
        return socket
      }),
    )
    await vi.waitFor(async () => expect((await storedObjects(place)).size).toBe(17), { timeout: 10_000 })
    await expectCleanStop(transfers)
    for (const socket of [...uploads, ...downloads]) socket.destroy()
  }))

async function trickle(socket: Socket): Promise<void> {
  while (socket.writable) {
    socket.write(Buffer.alloc(10_000))
    await sleep(100)
  }
}

/** Two uploads of one part each, which take minutes to hash. */
async function hugeUploads(files: FileClient, place: Place): Promise<number[]> {
  const uploads = [await files.sendParts([Buffer.from('a')]), await files.sendParts([Buffer.from('b')])]
  const bytes = 2 ** 40
  // With holes: they take no space on the disk.
  for (const key of (await knownObjects(place)).keys())
    await truncate(join(objectsFolderOf(place), key.charAt(0), key.charAt(1), key), bytes)
  for (const table of ['blob', 'upload_part']) await sqlOf(place, `update ${table} set size = ${bytes}`)
  await sqlOf(place, `update storage_use set bytes = ${bytes * uploads.length}`)
  return uploads
}

it.concurrent('finalizes of large uploads are ended at once, and the parts are kept', () =>
  withServer(async (transfers) => {
    const { server, token, place } = transfers
    const files = fileClient(server.url, token)
    const uploads = await hugeUploads(files, place)
    const body = { name: 'a.bin', parts: 1 }
    // The account has one finalize at a time, so those of the second upload wait.
    const finalizes = uploads.flatMap((upload) =>
      Array.from({ length: 100 }, () => files.call('files/upload-finalize', { ...body, upload_id: upload })),
    )
    await vi.waitFor(async () => expect(await openObjects(place, server)).toBe(1), { timeout: 20_000 })
    await expectCleanStop(transfers)
    // Without those that the server had not read before the stop.
    const answers = (await Promise.all(finalizes)).filter((outcome) => outcome !== undefined)
    expect(answers.length).toBeGreaterThan(0)
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 502, data: { message: 'The server is stopping. Repeat the request.' } })
    expect(server.log.map(({ msg }) => msg)).not.toContain('requests still running are cut off')
    expect((await knownObjects(place)).size).toBe(2)
  }))
