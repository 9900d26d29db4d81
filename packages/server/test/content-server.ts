import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Document, Download } from '../src/http/answer.js'
import type { ContentRoute, EndpointRoute, PublicRoute, SiteServer } from '../src/http/area.js'
import type { Metrics } from '../src/http/metrics.js'
import { RunningHandlers } from '../src/http/running-handlers.js'
import { createServer } from '../src/http/server.js'
import { defaultDeadlines, type Deadlines } from '../src/http/slow-clients.js'

/** A server with files on its content host, for tests that need no database. */
export interface ContentServer {
  readonly http: FastifyInstance
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** The log so far, one JSON text per line. */
  readonly log: string[]
  readonly stop: () => Promise<void>
}

export interface ContentFile {
  readonly mediaType: string
  readonly content: string | Buffer
}

export function downloadOf({ mediaType, content }: ContentFile, open?: () => Promise<Readable>): Download {
  const bytes = Buffer.from(content)
  return new Download({
    size: bytes.length,
    etag: '"a"',
    lastModified: 0,
    mediaType,
    name: 'file',
    disposition: 'inline',
    open:
      open ??
      (({ first, last }) => Promise.resolve(Readable.from(bytes.subarray(first, last + 1), { objectMode: false }))),
  })
}

/** @param files by the key of their links: `/s/<key>/<name>` */
export const shareRoute = (files: Readonly<Record<string, ContentFile>>): ContentRoute => ({
  name: 'content.share',
  path: '/s/:key/:name',
  answer: ({ params }) => {
    const file = files[params['key'] ?? '']
    return Promise.resolve(file && downloadOf(file))
  },
})

interface Options {
  readonly content?: readonly ContentRoute[]
  readonly endpoints?: readonly EndpointRoute[]
  readonly routes?: readonly PublicRoute[]
  readonly sites?: SiteServer
  readonly deadlines?: Deadlines
  readonly metrics?: Metrics
}

export async function startContentServer({
  content = [],
  endpoints = [],
  routes,
  sites,
  deadlines,
  metrics,
}: Options): Promise<ContentServer> {
  const log: string[] = []
  const { api: http } = createServer([], {
    log: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
    metrics,
    trusted: () => false,
    isProxied: false,
    connections: { max: 0, perNetwork: 0 },
    deadlines: deadlines ?? defaultDeadlines,
    running: new RunningHandlers(),
    routes: [{ path: '/document', answer: () => new Document('of the API', 'text/plain') }, ...(routes ?? [])],
    content,
    endpoints,
    sites,
    hosts: { content: 'content.localhost', sitesDomain: 'localhost', publicUrl: undefined },
    ping: () => Promise.resolve(),
  })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  return { http, port, url: `http://127.0.0.1:${String(port)}`, log, stop: () => http.close() }
}
