import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newBlobKey, type Bytes } from '../port.js'
import { openS3Blobs } from './s3-blobs.js'

/** Providers that answer otherwise than Swift. */

const limits = { connectMs: 2_000, idleMs: 1_500, attempts: 2, cleanUpMs: 2_000, partsInMemory: 64, rateMs: 1_000 }

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
})
afterAll(() => vi.unstubAllEnvs())

async function sizeOf(source: Bytes): Promise<number> {
  let size = 0
  for await (const chunk of source) size += chunk.length
  return size
}

describe('a provider that', () => {
  type Refusal = (isKept: boolean) => number | undefined

  /** Keeps the body of the last PUT that it does not refuse. @param refusalOf the status of a refusal of `If-None-Match` */
  async function startProvider(refusalOf: Refusal) {
    let kept: Buffer | undefined
    const server = createServer((request, response) => {
      if (request.method === 'GET') {
        response.writeHead(kept === undefined ? 404 : 206).end(kept)
        return
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const refusal = request.headers['if-none-match'] === '*' ? refusalOf(kept !== undefined) : undefined
        if (refusal === undefined && request.method === 'PUT') kept = Buffer.concat(chunks)
        response.writeHead(refusal ?? 200).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    const stop = () => {
      server.closeAllConnections()
      server.close()
    }
    return { store: openS3Blobs({ bucket: 'files', endpoint }, limits), [Symbol.dispose]: stop }
  }

  it.each<[string, Refusal]>([
    ['ignores If-None-Match', () => undefined],
    ['does not have it', () => 501],
    ['has it', (isKept) => (isKept ? 412 : undefined)],
    ['has it, and finds a conflict', (isKept) => (isKept ? 409 : undefined)],
  ])(
    'of processes that create a mark at the same time, all read the same one at a provider that %s',
    async (_, refusalOf) => {
      using provider = await startProvider(refusalOf)
      const { store } = provider
      const names = ['first', 'second', 'third']
      const read = await Promise.all(
        names.map(async (name) => {
          await store.createMark('owner', name)
          return store.readMark('owner')
        }),
      )
      expect(names).toContain(read[0])
      expect(new Set(read).size).toBe(1)
    },
  )
})

describe('a provider that lies', () => {
  async function readFrom(answer: RequestListener): Promise<number> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const endpoint = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    try {
      const liar = openS3Blobs({ bucket: 'files', endpoint }, limits)
      return await sizeOf(await liar.open(newBlobKey(1), { first: 2, last: 5 }))
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }

  it('a provider that lies about a range sends the bytes of the range', async () => {
    expect(await readFrom((_, response) => response.writeHead(206, { 'content-length': 4 }).end('2345'))).toBe(4)
  })

  it('a read fails if the provider sends the whole object instead of a range', async () => {
    await expect(
      readFrom((_, response) => response.writeHead(200, { 'content-length': 10 }).end('0123456789')),
    ).rejects.toThrow('A stored file cannot be read: the answer has another length.')
  })

  it('a read fails if the provider closes the connection before the end', async () => {
    await expect(
      readFrom((_, response) => {
        response.writeHead(206, { 'content-length': 4 }).write('23')
        setTimeout(() => response.destroy(), 50)
      }),
    ).rejects.toThrow('aborted')
  })

  it('a read fails if the provider answers with an error page instead of XML', async () => {
    await expect(readFrom((_, response) => response.writeHead(418).end('<html>'))).rejects.toThrow(
      'A stored file cannot be read: the storage provider failed.',
    )
  })
})
