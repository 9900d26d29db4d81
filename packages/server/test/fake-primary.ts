import { decode, encode, type Answer } from 'dns-packet'
import { pino } from 'pino'
import { Answerer } from '../src/ports/dns/embedded/answer.js'
import { copiedApex } from '../src/ports/dns/embedded/copied-apex.js'
import { listen } from '../src/ports/dns/embedded/listen.js'
import { limiterOf } from '../src/ports/dns/embedded/rate-limit.js'
import { SafeAnswers } from '../src/ports/dns/embedded/safe-answers.js'
import { tcpLimits } from '../src/ports/dns/embedded/tcp.js'
import { Zones } from '../src/ports/dns/embedded/zones.js'
import { Dispatcher } from '../src/ports/dns/protocol/dispatcher.js'
import type { CheckedMessage, Send } from '../src/ports/dns/protocol/messages.js'

const log = pino({ level: 'silent' })

export const primaryKey = { name: 'far', algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) } as const

export const catalogName = 'catalog.invalid'

/** Seconds of the SOA of the zones. */
export interface Times {
  readonly refresh?: number
  readonly retry?: number
  readonly expire?: number
}

export const soa = (
  name: string,
  serial: number,
  { refresh = 3600, retry = 1, expire = 3600 }: Times = {},
): Answer => ({
  type: 'SOA',
  name,
  ttl: 300,
  data: { mname: 'ns1.test', rname: 'hostmaster.test', serial, refresh, retry, expire, minimum: 60 },
})

export const address = (name: string, data: string, ttl = 300): Answer => ({ type: 'A', name, ttl, data })

export const nameserver = (zone: string): Answer => ({ type: 'NS', name: zone, ttl: 300, data: 'ns1.test' })

export const text = (name: string, ...data: string[]): Answer => ({ type: 'TXT', name, ttl: 300, data })

/** The records of a catalog besides its SOA. @param members zones by their unique labels */
export const catalogRecords = (
  members: Readonly<Record<string, string>>,
  version: readonly string[] = ['2'],
): Answer[] => [
  { type: 'NS', name: catalogName, ttl: 0, data: 'invalid' },
  ...version.map((one) => text(`version.${catalogName}`, one)),
  ...Object.entries(members).map(([id, data]): Answer => ({
    type: 'PTR',
    name: `${id}.zones.${catalogName}`,
    ttl: 0,
    data,
  })),
]

export interface PrimaryZone {
  readonly serial: number
  readonly records: readonly Answer[]
  readonly times?: Times
  /** The records of an IXFR from a serial; undefined for an AXFR instead. */
  readonly changesFrom?: (serial: number) => readonly Answer[] | undefined
}

export interface Request {
  readonly type: 'AXFR' | 'IXFR'
  readonly zone: string
  /** Encodes one message of the answer. */
  readonly message: (answers: readonly Answer[], flags?: { readonly rcode?: number }) => Buffer
  readonly send: Send
}

/** A primary nameserver in this process, which can lie about its zones. */
export class FakePrimary {
  readonly zones = new Map<string, PrimaryZone>()
  /** What was asked for: `AXFR example.test`. */
  readonly asked: string[] = []
  /** Answers a transfer instead of the zones. @returns false to let them answer */
  lie: (request: Request) => Promise<boolean> | boolean = () => false
  /** Whether questions for serials get no signed answer over UDP. */
  isSilent = false
  port = 0
  close: () => Promise<void> = async () => undefined

  static async start(port = 0): Promise<FakePrimary> {
    const primary = new FakePrimary()
    await primary.open(port)
    return primary
  }

  async open(port = this.port): Promise<void> {
    const answers = new SafeAnswers(new Answerer(new Zones(), copiedApex), log)
    const dispatcher = new Dispatcher(answers, log)
    dispatcher.protocols = {
      keys: {
        byName: async (name) =>
          name === primaryKey.name ? { ...primaryKey, signer: () => ({ kind: 'operator', name }) } : undefined,
      },
      handlers: {
        transfer: (message, send) => this.transfer(message, send),
        answer: (message) => this.answer(message),
      },
    }
    const listening = await listen({
      ...{ hosts: ['127.0.0.1'], port, answers, dispatcher, limiter: limiterOf(0), limits: tcpLimits, log },
    })
    this.port = listening.addresses[0]?.port ?? 0
    this.close = async () => {
      await dispatcher.close()
      await listening.close()
    }
  }

  private soaOf(name: string): Answer | undefined {
    const zone = this.zones.get(name)
    return zone && soa(name, zone.serial, zone.times)
  }

  private answer({ packet, client }: CheckedMessage): Buffer | undefined {
    if (this.isSilent && client.transport === 'udp') throw new Error('silent')
    const { id, questions } = decode(packet)
    const [question] = questions ?? []
    this.asked.push(`SOA ${question?.name ?? ''} ${client.transport}`)
    const found = this.soaOf(question?.name ?? '')
    if (found === undefined) return undefined
    return encode({ id, type: 'response', flags: 1 << 10, questions, answers: [found] })
  }

  private async transfer({ packet }: CheckedMessage, send: Send): Promise<void> {
    const { id, questions, authorities } = decode(packet)
    const [question] = questions ?? []
    const name = question?.name ?? ''
    const type = question?.type === ('IXFR' as string) ? 'IXFR' : 'AXFR'
    this.asked.push(`${type} ${name}`)
    const message: Request['message'] = (answers, { rcode = 0 } = {}) =>
      encode({ id, type: 'response', flags: (1 << 10) | rcode, questions, answers: [...answers] })
    if (await this.lie({ type, zone: name, message, send })) return
    const zone = this.zones.get(name)
    const own = this.soaOf(name)
    if (zone === undefined || own === undefined) return send(message([], { rcode: 9 }))
    const [copy] = authorities ?? []
    const serial = copy?.type === 'SOA' ? (copy.data.serial ?? 0) : undefined
    if (serial === zone.serial) return send(message([own]))
    const changes = serial === undefined ? undefined : zone.changesFrom?.(serial)
    await this.sendAll([own, ...(changes ?? zone.records), own], message, send)
  }

  private async sendAll(records: readonly Answer[], message: Request['message'], send: Send): Promise<void> {
    for (let at = 0; at < records.length; at += 200) await send(message(records.slice(at, at + 200)))
  }
}
