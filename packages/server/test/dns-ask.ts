import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import dnsPacket, { type Answer, type DecodedPacket, type Packet } from 'dns-packet'

/** A record in svc's notation. The value of MX and SRV begins with the priority. */
export interface ReplyRecord {
  readonly name: string
  readonly type: string
  readonly ttl: number
  readonly value: string
}

export interface Reply {
  readonly rcode: string
  readonly aa: boolean
  readonly tc: boolean
  readonly answers: readonly ReplyRecord[]
  readonly authority: readonly ReplyRecord[]
  readonly additional: readonly ReplyRecord[]
  /** The question as the server repeated it: `name type`. */
  readonly question: string
  /** The OPT record; undefined if missing. */
  readonly edns: { readonly udpSize: number; readonly dnssecOk: boolean; readonly version: number } | undefined
  readonly bytes: number
}

export interface AskOptions {
  readonly tcp?: boolean
  /** The UDP payload size to announce; undefined sends no OPT record. */
  readonly edns?: number
  readonly dnssecOk?: boolean
  readonly host?: string
}

/** Queries the nameserver on that port. dns-packet parses the reply, independently of svc's own decoder. */
export async function ask(port: number, name: string, type: string, options: AskOptions = {}): Promise<Reply> {
  const packet = queryPacket(name, type, options)
  const send = options.tcp === true ? exchangeTcp : exchangeUdp
  return read(await send(packet, port, options.host))
}

export function queryPacket(name: string, type: string, { edns, dnssecOk = false }: AskOptions = {}): Buffer {
  const packet: Packet = {
    id: Math.floor(Math.random() * 65_536),
    type: 'query',
    questions: [{ name, type: type as 'A' }],
    additionals:
      edns === undefined
        ? []
        : [
            {
              type: 'OPT',
              name: '.',
              udpPayloadSize: edns,
              flags: dnssecOk ? dnsPacket.DNSSEC_OK : 0,
              extendedRcode: 0,
              ednsVersion: 0,
              flag_do: dnssecOk,
              options: [],
            },
          ],
  }
  return Buffer.from(dnsPacket.encode(packet))
}

/** Sends one packet and returns the reply. @throws after `waitMs` without one */
export async function exchangeUdp(packet: Buffer, port: number, host = '127.0.0.1', waitMs = 2000): Promise<Buffer> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.send(packet, port, host)
    const answered = once(socket, 'message', { signal: AbortSignal.timeout(waitMs) }) as Promise<[Buffer]>
    return (await answered)[0]
  } finally {
    socket.close()
  }
}

export async function exchangeTcp(packet: Buffer, port: number, host = '127.0.0.1'): Promise<Buffer> {
  const socket = connect({ port, host })
  try {
    socket.write(framed(packet))
    let got = Buffer.alloc(0)
    for await (const chunk of socket) {
      got = Buffer.concat([got, chunk as Buffer])
      if (got.length >= 2 && got.length >= 2 + got.readUInt16BE(0)) return got.subarray(2, 2 + got.readUInt16BE(0))
    }
    throw new Error('The nameserver closed the connection.')
  } finally {
    socket.destroy()
  }
}

/** Adds the two-octet length prefix of TCP (RFC 1035, section 4.2.2). */
export const framed = (packet: Buffer): Buffer =>
  Buffer.concat([Buffer.from([packet.length >> 8, packet.length & 0xff]), packet])

export function read(message: Buffer): Reply {
  const packet = dnsPacket.decode(message)
  const opt = packet.additionals?.find((answer) => answer.type === 'OPT')
  const low = message.readUInt8(3) & 0x0f
  const high = opt === undefined ? 0 : opt.extendedRcode
  const toRecords = (answers: readonly Answer[] = []): ReplyRecord[] =>
    answers.filter(({ type }) => type !== 'OPT').map((answer) => toReplyRecord(answer))
  const [question] = packet.questions ?? []
  return {
    rcode: high === 0 ? rcodeOf(packet) : high === 1 && low === 0 ? 'BADVERS' : `RCODE${high * 16 + low}`,
    aa: packet.flag_aa,
    tc: packet.flag_tc,
    answers: toRecords(packet.answers),
    authority: toRecords(packet.authorities),
    additional: toRecords(packet.additionals),
    question: question === undefined ? '' : `${question.name} ${question.type}`,
    edns: opt && { udpSize: opt.udpPayloadSize, dnssecOk: opt.flag_do, version: opt.ednsVersion },
    bytes: message.length,
  }
}

const rcodeOf = (packet: DecodedPacket): string => (packet as DecodedPacket & { rcode: string }).rcode

function toReplyRecord(answer: Answer): ReplyRecord {
  const { name, type, ttl = 0 } = answer as { name: string; type: string; ttl?: number }
  return { name, type, ttl, value: valueOf(answer) }
}

function valueOf(answer: Answer): string {
  switch (answer.type) {
    case 'A':
      return answer.data
    case 'AAAA':
      return dotMappedIpv4(answer.data)
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return answer.data.toLowerCase()
    case 'MX':
      return `${answer.data.preference ?? 0} ${answer.data.exchange.toLowerCase()}`
    case 'SRV': {
      const { priority = 0, weight = 0, port, target } = answer.data
      return `${priority} ${weight} ${port} ${target.toLowerCase()}`
    }
    case 'TXT':
      return Buffer.concat(answer.data as Buffer[]).toString()
    case 'CAA':
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value.replace(/["\\]/g, '\\$&')}"`
    case 'SOA': {
      const { mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 } = answer.data
      const names = `${mname} ${rname}`.toLowerCase()
      return `${names} ${serial} ${refresh} ${retry} ${expire} ${minimum}`
    }
    default:
      return joinStrings((answer as unknown as { data: Buffer }).data)
  }
}

/** RFC 5952, section 5: the last 32 bits of an IPv4-mapped address are written in dotted decimal. */
const dotMappedIpv4 = (address: string): string =>
  address.replace(/^::ffff:([\da-f]+):([\da-f]+)$/, (_, high: string, low: string) => {
    const [a, b] = [parseInt(high, 16), parseInt(low, 16)]
    return `::ffff:${a >> 8}.${a & 255}.${b >> 8}.${b & 255}`
  })

/** Joins character-strings (RFC 1035, section 3.3): dns-packet does not decode SPF. */
function joinStrings(rdata: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < rdata.length; at += 1 + rdata.readUInt8(at))
    parts.push(rdata.subarray(at + 1, at + 1 + rdata.readUInt8(at)))
  return Buffer.concat(parts).toString()
}
