import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createConnection } from 'node:net'
import {
  AUTHORITATIVE_ANSWER,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
  decode,
  encode,
  streamEncode,
  type Answer,
  type DecodedPacket,
  type RecordType,
} from 'dns-packet'

/** Queries to one named server, to see what exactly it answers. `network-resolver.ts` looks up names. */

export interface DnsQuestion {
  /** Without a trailing dot; `.` for the root. */
  readonly name: string
  readonly type: RecordType
  readonly transport: 'udp' | 'tcp'
  /** Whether the server shall ask other servers. */
  readonly recursion: boolean
}

export interface DnsServerAddress {
  readonly address: string
  readonly port: number
}

export interface DnsReply {
  /** RFC 1035, section 4.1.1: 0 for success, 3 for a name that does not exist. */
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly isTruncated: boolean
  readonly answers: readonly Answer[]
  readonly authorities: readonly Answer[]
  readonly additionals: readonly Answer[]
}

/** `refused`: no program listens there. `silent`: no answer in time. `malformed`: the answer is not DNS. */
export type DnsFailure = 'refused' | 'silent' | 'malformed'

/** Attempts over UDP, which may lose packets, and the wait for each. One attempt over TCP takes as long as all of them. */
const attemptsMax = 2
const attemptMs = 1_500

/** The largest answer over UDP that is not fragmented on its way (https://www.dnsflagday.net/2020/). */
const udpSize = 1_232

/** Sends a query, and waits for the answer for at most three seconds. Never throws for what the network or the server does. */
export async function queryDns(server: DnsServerAddress, question: DnsQuestion): Promise<DnsReply | DnsFailure> {
  if (question.transport === 'tcp') return ask(server, question, overTcp)
  let reply: DnsReply | DnsFailure = 'silent'
  for (let attempt = 0; attempt < attemptsMax && reply === 'silent'; attempt++)
    reply = await ask(server, question, overUdp)
  return reply
}

type Transport = (
  server: DnsServerAddress,
  query: Packet,
  settle: (reply: Buffer | DnsFailure) => void,
) => /* Closes the socket. */ () => void

interface Packet {
  readonly id: number
  readonly udp: Buffer
  readonly tcp: Buffer
}

async function ask(
  server: DnsServerAddress,
  question: DnsQuestion,
  transport: Transport,
): Promise<DnsReply | DnsFailure> {
  const packet = packetOf(question)
  const waitMs = question.transport === 'udp' ? attemptMs : attemptMs * attemptsMax
  let close = (): void => undefined
  const reply = await new Promise<Buffer | DnsFailure>((resolve) => {
    const timer = setTimeout(resolve, waitMs, 'silent')
    close = transport(server, packet, (settled) => {
      clearTimeout(timer)
      resolve(settled)
    })
  })
  close()
  return typeof reply === 'string' ? reply : parse(reply)
}

function packetOf({ name, type, recursion }: DnsQuestion): Packet {
  const id = randomInt(0x1_0000)
  const packet = {
    type: 'query' as const,
    id,
    flags: recursion ? RECURSION_DESIRED : 0,
    questions: [{ name, type }],
    additionals: [
      {
        ...({ type: 'OPT', name: '.', udpPayloadSize: udpSize } as const),
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  }
  return { id, udp: Buffer.from(encode(packet)), tcp: Buffer.from(streamEncode(packet)) }
}

const overUdp: Transport = ({ address, port }, { id, udp }, settle) => {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  socket.on('error', (error) => settle(failureOf(error)))
  // A packet with another id is not the answer: it is late, or forged.
  socket.on('message', (message) => {
    if (message.length >= 12 && message.readUInt16BE(0) === id) settle(message)
  })
  // A connected socket gets packets of this server only, and learns that its port is closed.
  socket.connect(port, address, () => {
    socket.send(udp)
  })
  return () => socket.close()
}

const overTcp: Transport = ({ address, port }, { tcp }, settle) => {
  const socket = createConnection({ host: address, port })
  let received = Buffer.alloc(0)
  socket.on('error', (error) => settle(failureOf(error)))
  socket.on('close', () => settle('silent'))
  socket.on('connect', () => socket.write(tcp))
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk])
    const length = received.length < 2 ? Infinity : received.readUInt16BE(0)
    if (received.length >= 2 + length) settle(received.subarray(2, 2 + length))
  })
  return () => socket.destroy()
}

const failureOf = (error: NodeJS.ErrnoException): DnsFailure => (error.code === 'ECONNREFUSED' ? 'refused' : 'silent')

function parse(message: Buffer): DnsReply | DnsFailure {
  let packet: DecodedPacket
  try {
    packet = decode(message)
  } catch {
    // The library throws errors of several kinds for what is not DNS.
    return 'malformed'
  }
  const flags = packet.flags ?? 0
  return {
    rcode: message.readUInt8(3) & 0x0f,
    isAuthoritative: (flags & AUTHORITATIVE_ANSWER) !== 0,
    isTruncated: (flags & TRUNCATED_RESPONSE) !== 0,
    answers: packet.answers ?? [],
    authorities: packet.authorities ?? [],
    additionals: packet.additionals ?? [],
  }
}

/** Parses `ip`, `ip:port` or `[ip]:port`, as Node.js and SVC_RESOLVERS write servers. */
export function dnsServerAddress(text: string): DnsServerAddress {
  const { six, four, port } = /^(?:\[(?<six>[^\]]+)\]|(?<four>[^:]+)):(?<port>\d+)$/.exec(text)?.groups ?? {}
  return { address: six ?? four ?? text.replace(/^\[|\]$/g, ''), port: port === undefined ? 53 : Number(port) }
}
