import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { databaseKinds } from '../../../../test/app.js'
import { noLimits } from '../../../../test/file-storage.js'
import { expectError, send, type HttpAnswer } from '../../../../test/raw-http.js'
import { startRequest, type SlowRequest } from '../../../../test/slow-request.js'
import { startSite, type Site } from '../../../../test/site.js'

/** The limits of an account while it sends several requests with bytes at the same time. */

const bytesMax = 4_000_000
/** Chunks that have been counted and not yet written, or removed and still counted. */
const slack = 200_000
const path = '/v1/files/upload-chunk?index=0'
const type = 'application/octet-stream'
const patience = { timeout: 20_000 }

describe.each(databaseKinds)('requests at the same time on %s', { timeout: 60_000 }, (kind) => {
  let folder: string
  let site: Site
  let token: string
  let accounts = 0
  /** Objects and bytes of earlier tests. */
  let before: Stored
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-parallel-'))
    site = await startSite(kind, { files: { ...noLimits, bytesMax }, blobs: { kind: 'disk', folder } })
  })
  afterAll(async () => {
    await site.stop()
    await rm(folder, { recursive: true })
  })
  beforeEach(async () => {
    token = await newToken()
    before = await stored(folder)
  })

  /** The server would wait for the rest of their bodies at its stop. */
  const open: SlowRequest[] = []
  afterEach(() => {
    for (const { leave } of open.splice(0)) leave()
  })

  const newToken = async () =>
    site.token(await site.account(`ada${String(++accounts)}@example.com`), 'files:read', 'files:write')
  const raw = (size: number, as = token): Promise<HttpAnswer> =>
    send(site.url, 'POST', path, {
      headers: { authorization: `Bearer ${as}`, 'content-type': type },
      body: Buffer.alloc(size, 'svc'),
    })
  async function slow(length: number): Promise<SlowRequest> {
    const started = await startRequest(site.url, { token, path, type, length })
    open.push(started)
    return started
  }
  const bytesStored = async () => (await stored(folder)).bytes - before.bytes
  const objectsStored = async () => (await stored(folder)).objects - before.objects

  it('16 uploads that fill the account exactly are all stored, and a further byte is refused', async () => {
    for (let round = 0; round < 5; round++) {
      token = await newToken()
      // Different sizes, so that some end while others begin.
      const sizes = Array.from({ length: 15 }, (_, i) => (i + 1) * 30_000)
      sizes.push(bytesMax - sizes.reduce((sum, size) => sum + size, 0))
      const answers = await Promise.all(sizes.map((size) => raw(size)))
      expect(answers.map(({ status, text }) => [status, text.slice(0, 200)])).toEqual(
        sizes.map(() => [200, expect.anything()]),
      )
      const further = await raw(1)
      expectError(further, 'bad_request')
      expect(further.body['message']).toBe(
        'content is too large: the account uses 4 MB (4000000 bytes) of 4 MB (4000000 bytes).',
      )
    }
  })

  it('uploads never store more than the account has left, and those that fit go on', async () => {
    const requests = await Promise.all(Array.from({ length: 16 }, () => slow(bytesMax)))
    let most = 0
    for (const { write } of requests) write(Buffer.alloc(bytesMax / 4))
    await vi.waitFor(async () => {
      most = Math.max(most, await bytesStored())
      expect(requests.filter(({ isAnswered }) => isAnswered())).toHaveLength(12)
    }, patience)
    expect(most).toBeLessThanOrEqual(bytesMax + slack)
    const [last, ...others] = requests.filter(({ isAnswered }) => !isAnswered())
    for (const { answer } of requests.filter(({ isAnswered }) => isAnswered())) {
      expectError(await answer, 'bad_request')
      expect((await answer).body['message']).toMatch(
        /^content is too large: the account uses \S+ MB \(\d+ bytes\) of 4 MB \(4000000 bytes\), including \S+ MB \(\d+ bytes\) of other running requests\.$/,
      )
    }

    for (const { leave } of others) leave()
    await vi.waitFor(async () => expect(await bytesStored()).toBeLessThanOrEqual(bytesMax / 4), patience)
    last!.write(Buffer.alloc((bytesMax / 4) * 3))
    expect((await last!.answer).status).toBe(200)
    expectError(await raw(1), 'bad_request')
    expect(await bytesStored()).toBe(bytesMax)
  })

  it('a running upload gets the room that the deletion of a file makes', async () => {
    const body = { name: 'a', content: Buffer.alloc(bytesMax / 2).toString('base64') }
    const { body: file } = await site.call('POST', '/v1/files/upload', { token, body })
    const size = bytesMax * 0.4
    const uploads = [await slow(size), await slow(size)]
    for (const { write } of uploads) write(Buffer.alloc(size / 2))
    await vi.waitFor(async () => expect(await bytesStored()).toBe(bytesMax / 2 + size), patience)
    const deleted = await site.call('POST', '/v1/files/delete', { token, body: { id: file['data'].id } })
    expect(deleted.status).toBe(200)
    for (const { write } of uploads) write(Buffer.alloc(size / 2))
    for (const { answer } of uploads) expect((await answer).status).toBe(200)
  })

  it('the 17th request of an account waits for one of the others, and those of another account do not', async () => {
    const requests = await Promise.all(Array.from({ length: 16 }, () => slow(2)))
    for (const { write } of requests) write('a')
    await vi.waitFor(async () => expect(await objectsStored()).toBe(16), patience)
    let hasWaited = true
    const waiting = raw(1).finally(() => (hasWaited = false))
    expect((await site.call('GET', '/v1/files', { token })).status).toBe(200)
    expect((await raw(1, await newToken())).status).toBe(200)
    expect(hasWaited).toBe(true)

    requests[0]!.write('b')
    expect((await requests[0]!.answer).status).toBe(200)
    expect((await waiting).status).toBe(200)
    for (const { write } of requests.slice(1)) write('b')
    for (const { answer } of requests) expect((await answer).status).toBe(200)
  })
})

interface Stored {
  readonly objects: number
  readonly bytes: number
}

/** Counts the objects in a directory, also unfinished ones. */
async function stored(folder: string): Promise<Stored> {
  const names = await readdir(folder, { recursive: true })
  const sizes = names.map((name) =>
    stat(join(folder, name)).catch((error: unknown) => {
      // It was renamed or removed in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return undefined
    }),
  )
  const found = await Promise.all(sizes)
  const files = found.filter((entry) => entry?.isFile() === true)
  return { objects: files.length, bytes: files.reduce((sum, entry) => sum + (entry?.size ?? 0), 0) }
}
