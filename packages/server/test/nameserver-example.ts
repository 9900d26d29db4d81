import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { embeddedDns, type EmbeddedDns } from '../src/ports/dns/embedded/embedded-dns.js'
import { ask, type AskOptions, type Reply, type ReplyRecord } from './dns-ask.js'
import { zones } from './nameserver-zones.js'

/** The SOA record of a zone of `exampleNameserver`. */
export const soa = (zone: string, serial: number, ttl = 300): ReplyRecord => ({
  name: zone,
  type: 'SOA',
  ttl,
  value: `ns1.example.test hostmaster.${zone} ${serial} 7200 900 1209600 300`,
})

export const short = (records: readonly ReplyRecord[]): string[] =>
  records.map(({ name, type, value }) => `${name} ${type} ${value}`)

export interface ExampleNameserver {
  (name: string, type: string, options?: AskOptions): Promise<Reply>
  /** The port on 127.0.0.1. */
  readonly port: () => number
}

/** Serves the zones of nameserver-zones.ts while the tests of a file run. @returns a function that queries it */
export function exampleNameserver(): ExampleNameserver {
  let dns: EmbeddedDns
  beforeAll(async () => {
    dns = await embeddedDns({
      host: '127.0.0.1',
      port: 0,
      nameservers: ['ns1.example.test', 'ns2.unknown.test'],
      log: pino({ level: 'silent' }),
      zones,
    })
    // Until then it answers SERVFAIL to transfers.
    dns.answerProtocols({ keys: { byName: async () => undefined }, handlers: {} })
  })
  afterAll(() => dns.close())
  const port = () => dns.addresses[0]?.port ?? 0
  return Object.assign((name: string, type: string, options: AskOptions = {}) => ask(port(), name, type, options), {
    port,
  })
}
