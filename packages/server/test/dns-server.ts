import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import {
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  streamDecode,
  streamEncode,
  TRUNCATED_RESPONSE,
  type Answer,
  type Question,
} from 'dns-packet'
import { freePort } from '../../../test/servers/index.js'

/** Records, an rcode, or no response at all. */
export type DnsResponse =
  | {
      readonly answers?: readonly Answer[]
      readonly authorities?: readonly Answer[]
      readonly additionals?: readonly Answer[]
      readonly rcode?: number
      readonly isAuthoritative?: boolean
    }
  | 'silence'

export const rcodes = { servfail: 2, nxdomain: 3, notimp: 4, refused: 5 } as const

export interface DnsServer {
  /** `127.0.0.1:<port>` or `[::1]:<port>` */
  readonly address: string
  /** Each query in order: `udp` or `tcp`, type and name. */
  readonly queries: string[]
  readonly stop: () => Promise<void>
}

/** A small nameserver on a real port, UDP and TCP. Truncates UDP responses beyond 1232 bytes. */
export async function startDnsServer(
  respondTo: (question: Question) => DnsResponse,
  host = '127.0.0.1',
  givenPort?: number,
): Promise<DnsServer> {
  const port = givenPort ?? (await freePort())
  const queries: string[] = []
  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  const connections = new Set<Socket>()

  function respond(transport: string, query: Buffer, toPacket: typeof encode): Buffer | undefined {
    const { id, questions = [] } = transport === 'tcp' ? streamDecode(query) : decode(query)
    const [question] = questions
    if (question === undefined) return undefined
    queries.push(`${transport} ${question.type} ${question.name}`)
    const given = respondTo(question)
    if (given === 'silence') return undefined
    const { answers = [], authorities = [], additionals = [], rcode = 0, isAuthoritative = false } = given
    const flags = rcode | (isAuthoritative ? AUTHORITATIVE_ANSWER : 0)
    const packet = { type: 'response', id: id ?? 0, questions, flags } as const
    const sections = { answers: [...answers], authorities: [...authorities], additionals: [...additionals] }
    const whole = toPacket({ ...packet, ...sections })
    if (transport === 'tcp' || whole.length <= 1232) return whole
    return toPacket({ ...packet, flags: packet.flags | TRUNCATED_RESPONSE })
  }

  udp.on('message', (query, from) => {
    const response = respond('udp', query, encode)
    if (response !== undefined) udp.send(response, from.port, from.address)
  })
  const tcp = createServer((socket) => {
    connections.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (query) => {
      const response = respond('tcp', query, streamEncode)
      if (response !== undefined) socket.write(response)
    })
  })
  await new Promise<void>((resolve) => udp.bind(port, host, resolve))
  await new Promise<void>((resolve) => tcp.listen(port, host, resolve))
  return {
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    queries,
    stop: async () => {
      for (const socket of connections) socket.destroy()
      await new Promise<void>((resolve) => udp.close(() => resolve()))
      await new Promise<void>((resolve) => tcp.close(() => resolve()))
    },
  }
}
