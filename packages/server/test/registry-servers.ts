import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** An RDAP server on 127.0.0.1. Domains that it does not have are not registered. */
export interface RdapServer {
  /** Base URL, with a slash at the end. */
  readonly url: string
  /** The paths of all requests so far. */
  readonly requests: string[]
  /** The documents, by domain. */
  readonly documents: Map<string, object>
  /** Answers a request instead of the documents; undefined to send a document. */
  respond: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Closes all connections, and stops listening. */
  readonly stop: () => Promise<void>
}

export async function startRdap(): Promise<RdapServer> {
  const server = createHttpServer((request, response) => {
    const path = request.url ?? ''
    rdap.requests.push(path)
    response.on('error', () => undefined)
    if (rdap.respond !== undefined) {
      rdap.respond(request, response)
      return
    }
    const document = rdap.documents.get(decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)))
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/rdap+json' })
    response.end(JSON.stringify(document ?? { errorCode: 404, title: 'Not Found' }))
  })
  server.on('clientError', () => undefined)
  const rdap: RdapServer = {
    url: `http://127.0.0.1:${String(await listen(server))}/`,
    requests: [],
    documents: new Map(),
    respond: undefined,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return rdap
}

/** The RDAP document of a domain, as registries send it. */
export const rdapDocument = (domain: string, members: object = {}) => ({
  objectClassName: 'domain',
  ldhName: domain.toUpperCase(),
  rdapConformance: ['rdap_level_0'],
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '1995-08-14T04:00:00Z' },
    { eventAction: 'expiration', eventDate: '2027-08-13T04:00:00Z' },
    { eventAction: 'last changed', eventDate: '2026-08-14T07:01:44Z' },
  ],
  nameservers: [
    { objectClassName: 'nameserver', ldhName: 'NS1.EXAMPLE.NET' },
    { objectClassName: 'nameserver', ldhName: 'NS2.EXAMPLE.NET.' },
  ],
  entities: [
    {
      objectClassName: 'entity',
      handle: '9999',
      roles: ['registrar'],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Example Registrar, Inc.'],
        ],
      ],
    },
  ],
  secureDNS: { delegationSigned: true },
  ...members,
})

/** A WHOIS server on 127.0.0.1. It answers each query and closes the connection. */
export interface WhoisServer {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** The lines of all queries so far, without CR LF. */
  readonly queries: string[]
  /** The answers, by query; strings are sent as UTF-8. Other queries get `No match for <query>`. */
  readonly answers: Map<string, string | Buffer>
  /** Answers a query instead of the answers. */
  respond: ((socket: Socket, query: string) => void) | undefined
  /** Closes all connections, and stops listening. */
  readonly stop: () => Promise<void>
}

export async function startWhois(): Promise<WhoisServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let received = ''
    socket.on('data', (data) => {
      received += data.toString()
      if (!received.endsWith('\r\n')) return
      const query = received.trimEnd()
      received = ''
      whois.queries.push(query)
      if (whois.respond !== undefined) whois.respond(socket, query)
      else socket.end(whois.answers.get(query) ?? `No match for "${query.toUpperCase()}".\r\n`)
    })
  })
  const whois: WhoisServer = {
    host: `127.0.0.1:${String(await listen(server))}`,
    queries: [],
    answers: new Map(),
    respond: undefined,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return whois
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
