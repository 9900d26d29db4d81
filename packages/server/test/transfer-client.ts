import { connect } from 'node:net'
import { decode, encode, type Answer } from 'dns-packet'
import { framed } from './dns-ask.js'
import type { CheckedMessage, Signer } from '../src/ports/dns/protocol/messages.js'

/** A record without what compression changes. */
const textOf = (answer: Answer): string => JSON.stringify(answer, (_, value: unknown) => value)

const qtypes = { AXFR: 252, IXFR: 251 } as const

/** A request for a transfer, as it arrives after the check of its signature. @param serial the one that the client has, for IXFR */
export function transferRequest(zone: string, serial?: number, signer: Signer = { kind: 'loopback' }): CheckedMessage {
  const type = serial === undefined ? 'AXFR' : 'IXFR'
  const packet = encode({
    type: 'query',
    id: 4711,
    questions: [{ type: 'A', name: zone }],
    authorities:
      serial === undefined
        ? []
        : [{ type: 'SOA', name: zone, ttl: 0, data: { mname: '.', rname: '.', serial: serial >>> 0 } }],
  })
  packet.writeUInt16BE(qtypes[type], 12 + zone.length + 2)
  return {
    packet,
    mac: Buffer.alloc(0),
    client: { address: '127.0.0.1', port: 1053, transport: 'tcp' },
    signer,
    signal: new AbortController().signal,
  }
}

/** What has signed a request with the key of an account. @param hosts of its rule for example.test; undefined for a key without rules */
export function accountSigner(id: number, hosts?: readonly string[], scope: 'dns:read' | 'files:read' = 'dns:read') {
  return {
    kind: 'account',
    caller: {
      account: {
        id,
        email: 'ada@example.com',
        nickname: '',
        createdAt: 0,
        limits: {} as never,
        actor: { kind: 'token', id: 1, name: 'key', requestId: null } as never,
        ...(hosts !== undefined && { rules: [{ kind: 'zone', name: 'example.test', hosts, access: 'read' } as const] }),
      },
      scopes: [scope],
      session: null,
      tokenId: 1,
    },
  } as const
}

/** The records of the messages of a transfer, in their order. */
export const recordsOf = (messages: readonly Buffer[]): Answer[] =>
  messages.flatMap((message) => decode(message).answers ?? [])

const serialOf = (answer: Answer | undefined): number =>
  answer?.type === 'SOA' ? (answer.data.serial ?? 0) : Number.NaN

/** A secondary as strict as Knot: it removes only what is there, and adds only what is not. */
export class TestSecondary {
  records = new Set<string>()
  serial: number | undefined
  /** How the last transfer was answered. */
  last: 'axfr' | 'ixfr' | 'current' | undefined

  /** @throws Error for a transfer that does not fit the records */
  take(messages: readonly Buffer[]): void {
    const answers = recordsOf(messages)
    const [first, second] = answers
    const serial = serialOf(first)
    if (answers.length === 1) {
      this.last = 'current'
      return
    }
    if (serialOf(answers.at(-1)) !== serial) throw new Error('The last record is not the SOA of the first one.')
    const body = answers.slice(0, -1)
    if (second?.type === 'SOA') this.change(body.slice(1))
    else {
      this.last = 'axfr'
      this.records = new Set(body.map(textOf))
      if (this.records.size !== body.length) throw new Error('A record is there twice.')
    }
    this.serial = serial
  }

  private change(body: readonly Answer[]): void {
    this.last = 'ixfr'
    const [former] = body
    if (serialOf(former) !== this.serial) throw new Error('The difference begins at another serial.')
    const added = body.findIndex((answer, index) => index > 0 && answer.type === 'SOA')
    for (const record of body.slice(0, added).map(textOf))
      if (!this.records.delete(record)) throw new Error(`${record} is removed, but it is not there.`)
    for (const record of body.slice(added).map(textOf)) {
      if (this.records.has(record)) throw new Error(`${record} is added, but it is there.`)
      this.records.add(record)
    }
  }
}

/** Asks a nameserver on 127.0.0.1 for a transfer, without a key. @returns the messages; one without records if it is refused */
export async function transferFrom(port: number, zone: string, serial?: number): Promise<Buffer[]> {
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(10_000, () => socket.destroy(new Error(`The transfer of ${zone} takes too long.`)))
  try {
    socket.write(framed(transferRequest(zone, serial).packet))
    const messages: Buffer[] = []
    const answers: Answer[] = []
    let got = Buffer.alloc(0)
    for await (const chunk of socket) {
      got = Buffer.concat([got, chunk as Buffer])
      for (; got.length >= 2 && got.length >= 2 + got.readUInt16BE(0); got = got.subarray(2 + got.readUInt16BE(0))) {
        const message = got.subarray(2, 2 + got.readUInt16BE(0))
        const added = recordsOf([message])
        // NSD 4.6 sends them without an end when a record does not fit into its buffer.
        if (messages.length > 0 && added.length === 0) throw new Error(`The transfer of ${zone} has an empty message.`)
        messages.push(message)
        answers.push(...added)
      }
      if (messages.length > 0 && isWhole(answers, serial === undefined)) return messages
    }
    throw new Error(`The connection closed during the transfer of ${zone}.`)
  } finally {
    socket.destroy()
  }
}

/**
 * A whole zone has two SOA records, a difference four; one that is current or refused has one or none, in one message. PowerDNS sends the
 * first SOA of a whole zone in a message by itself.
 */
function isWhole(answers: readonly Answer[], isZoneWanted: boolean): boolean {
  if (answers.length < 2) return !(isZoneWanted && answers.length === 1)
  const serials = answers.filter(({ type }) => type === 'SOA').length
  return serials === (answers[1]?.type === 'SOA' ? 4 : 2)
}
