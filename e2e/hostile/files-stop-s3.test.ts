import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import type { Blobs, Listed } from '../../packages/server/src/ports/blobs/port.js'
import { openS3Blobs } from '../../packages/server/src/ports/blobs/s3/s3-blobs.js'
import { openSocket } from '../../packages/server/test/raw-http.js'
import { startSwift, type Swift } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'
import { knownObjects, sweepAfterLeases } from '../stored-files.js'

/** SIGTERM in the middle of uploads to a bucket. */

const raw = 'Content-Type: application/octet-stream'

let swift: Swift
let blobs: Blobs
let bucket: string
beforeAll(async () => {
  swift = await startSwift()
  vi.stubEnv('AWS_ACCESS_KEY_ID', swift.accessKey)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.secretKey)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await swift.stop()
})
beforeEach(async () => {
  bucket = await swift.createBucket()
  blobs = openS3Blobs({ bucket, endpoint: swift.url })
})
afterEach(async () => {
  swift.resume()
  await blobs.close()
})

/** All but the object that names the owner of the store. */
async function stored(): Promise<Listed[]> {
  const found: Listed[] = []
  for await (const entry of blobs.list()) if (!entry.key.endsWith('-0')) found.push(entry)
  return found
}

/** Starts a server, and an upload that goes on until its connection is closed. Resolves when a part of it is in the bucket. */
async function startUpload(empty: Place) {
  const place = { ...empty, env: { SVC_BLOBS: `s3://${bucket}?endpoint=${swift.url}` } }
  const token = await accountToken(place, 'ada@example.com', 'files:write')
  const server = await svcServe(place)
  const socket = await openSocket(server.url)
  socket.on('error', () => socket.destroy()).resume()
  const head = ['POST /v1/files/upload-chunk?index=0 HTTP/1.1', raw, 'Content-Length: 1000000000']
  socket.write([...head, 'Host: localhost', `Authorization: Bearer ${token}`, '', ''].join('\r\n'))
  const sending = { isFast: true }
  void send(socket, sending)
  const isUploading = async () => expect(await stored()).toMatchObject([{ isWhole: false }])
  await vi.waitFor(isUploading, { timeout: 90_000, interval: 200 })
  sending.isFast = false
  return { place, server, socket }
}

/** Sends without an end: as fast as a part of an object needs, and then slowly, because the connection is open for seconds. */
async function send(socket: Socket, sending: { readonly isFast: boolean }): Promise<void> {
  while (socket.writable) {
    if (socket.writableLength < 1_000_000) socket.write(Buffer.alloc(sending.isFast ? 100_000 : 1_000))
    await sleep(sending.isFast ? 5 : 50)
  }
}

it('an upload without an end is cut off and aborted', async () => {
  await using empty = await emptyPlace()
  const { place, server, socket } = await startUpload(empty)
  await using _ = server
  const from = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(10_000)
  expect(await stored()).toEqual([])
  expect(await knownObjects(place)).toEqual(new Map())
  expect(server.stderr()).toBe('')
  socket.destroy()
})

it('an upload to a provider that hangs is cut off, and the sweep of the next server removes it', async () => {
  await using empty = await emptyPlace()
  const { place, server, socket } = await startUpload(empty)
  await using _ = server
  swift.pause()
  const from = performance.now()
  expect(await server.stop()).toBe(0)
  expect(performance.now() - from).toBeLessThan(10_500)
  swift.resume()
  expect(await stored()).toMatchObject([{ isWhole: false }])
  await sweepAfterLeases(place, blobs)
  expect(await stored()).toEqual([])
  socket.destroy()
})
