import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { asStream, type ByteRange } from '../../src/ports/blobs/port.js'
import type { Edge } from '../../src/ports/edge/port.js'

/** A shared file as the tests change it. */
export interface SharedFile {
  readonly id: number
  version: number
  ttl: number
  isShared: boolean
  content: Buffer
  /** Awaited after the file has been looked up and before its bytes are read. */
  gate: Promise<void>
  /** Awaited before the last byte. */
  lastGate: Promise<void>
  /** Requests for which the file has been looked up. */
  lookups: number
  /** Fetches from the blob store. */
  fetches: number
}

/** The key of a share link, in the form of svc: 22 characters. */
export const keyOf = (fileId: number): string => String(fileId).padStart(22, '0')

/** What svc does for share links: it looks up the file at each request and answers through the edge. */
export class Origin {
  readonly files = new Map<number, SharedFile>()
  edge: Edge | undefined
  readonly #server: Server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy())
  })

  /** @returns its port on 127.0.0.1 */
  async listen(): Promise<number> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer({ url, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.files.get(Number(/^\/s\/(\d+)\//.exec(url ?? '')?.[1]))
    if (!this.edge || !file?.isShared) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is nothing at this address.\n')
      return
    }
    file.lookups++
    const { id: fileId, version, ttl, content, gate, lastGate } = file
    const { length: size } = content
    await gate
    const asked = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
    const range = { first: Number(asked?.[1] ?? 0), last: Number(asked?.[2] ?? size - 1) }
    const fetch = async ({ first, last }: ByteRange) => {
      file.fetches++
      return Readable.from(bytesOf(content.subarray(first, last + 1), lastGate), { objectMode: false })
    }
    const object = { fileId, version, size, ttl, fetch }
    const { bytes } = await this.edge.open(object, range)
    response.writeHead(asked ? 206 : 200, {
      ...this.edge.headers(object),
      'content-type': 'text/plain',
      'content-length': range.last - range.first + 1,
      ...(asked ? { 'content-range': `bytes ${String(range.first)}-${String(range.last)}/${String(size)}` } : {}),
      etag: `"${String(version)}"`,
    })
    await pipeline(asStream(bytes), response)
  }
}

async function* bytesOf(content: Buffer, lastGate: Promise<void>): AsyncGenerator<Buffer> {
  yield content.subarray(0, -1)
  await lastGate
  yield content.subarray(-1)
}
