import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordTypes, type RecordType } from '@svc/contract/limits'
import type { Dns, RRset, RRsetRecord } from '../../src/ports/dns/port.js'
import { recordTypeRules } from '../../src/ports/dns/types/index.js'

/** The answer to a query. Values are in svc's canonical form, after the priority for MX and SRV. */
export interface Answer {
  readonly rcode: string
  readonly aa: boolean
  readonly answers: readonly {
    readonly name: string
    readonly type: string
    readonly ttl: number
    readonly value: string
  }[]
}

export interface Served {
  readonly dns: Dns
  /** Queries the nameserver over UDP, or over TCP if `tcp` is true. */
  ask(name: string, type: RecordType | 'SOA', options?: { tcp?: boolean }): Promise<Answer>
  stop(): Promise<void>
}

const plain = (...values: string[]): RRsetRecord[] => values.map((value) => ({ value, priority: null }))
const set = (name: string, type: RecordType, ttl: number, records: readonly RRsetRecord[]): RRset => ({
  name,
  type,
  ttl,
  records,
})

const zone = 'conformance.test'
const nameOf = (type: RecordType): string => (type === 'NS' ? `delegated.${zone}` : `${type.toLowerCase()}.${zone}`)
const shown = ({ value, priority }: RRsetRecord): string => (priority === null ? value : `${priority} ${value}`)
const sorted = (texts: readonly string[]): string[] => [...texts].sort()
const listed = (sets: readonly RRset[]): string[] =>
  sorted(
    sets.flatMap(({ name, type, ttl, records }) => records.map((record) => `${name} ${ttl} ${type} ${shown(record)}`)),
  )

/** Tests the guarantees of the port on one adapter, with real queries. */
export function dnsConformance(start: () => Promise<Served>): void {
  let served: Served
  let serial = 2_026_110_100
  beforeAll(async () => {
    served = await start()
  })
  afterAll(() => served.stop())

  const nextSerial = () => ++serial
  const publish = (...rrsets: RRset[]) => served.dns.publish({ zone, serial: nextSerial(), rrsets })
  const reset = (...rrsets: RRset[]) => served.dns.setZone({ zone, serial: nextSerial(), rrsets })
  const values = async (name: string, type: RecordType) =>
    sorted((await served.ask(name, type)).answers.map(({ value }) => value))
  const serialOf = async () => Number((await served.ask(zone, 'SOA')).answers[0]?.value.split(' ')[2])
  const tools: Tools = { served: () => served, publish, reset, values, serialOf, nextSerial }

  describe('types', () => {
    everyType(tools)
  })
  describe('setZone', () => {
    wholeZones(tools)
  })
  describe('removeZone', () => {
    removal(tools)
  })
  describe('publish', () => {
    changes(tools)
    timing(tools)
  })
  describe('the apex', () => {
    apexRecords(tools)
  })
}

function removal({ served, reset, values, nextSerial }: Tools): void {
  const www = set(`www.${zone}`, 'A', 300, plain('192.0.2.1'))

  it('removeZone ends the answers for the zone; repeated, it is a no-op; setZone serves the zone again', async () => {
    await reset(www)
    for (let calls = 0; calls < 2; calls++) {
      await served().dns.removeZone(zone, nextSerial())
      expect(await served().dns.zone(zone)).toBeUndefined()
      // Another name: PowerDNS caches that it has no answer.
      expect((await served().ask(`other.${zone}`, 'A')).rcode).toBe('REFUSED')
    }
    await reset(www)
    expect(await values(www.name, 'A')).toEqual(['192.0.2.1'])
  })
}

interface Tools {
  readonly served: () => Served
  readonly publish: (...rrsets: RRset[]) => Promise<void>
  readonly reset: (...rrsets: RRset[]) => Promise<void>
  readonly values: (name: string, type: RecordType) => Promise<string[]>
  readonly serialOf: () => Promise<number>
  readonly nextSerial: () => number
}

function everyType({ served, publish, reset, values }: Tools): void {
  const all = recordTypes.map((type) => set(nameOf(type), type, 300, recordTypeRules[type].examples))

  it.each(recordTypes)('%s: queries and zone() return the published records', async (type) => {
    await reset()
    const rrset = set(nameOf(type), type, 300, recordTypeRules[type].examples)
    await publish(rrset)
    // The NS are at a delegation, so the answer would be a referral.
    if (type !== 'NS') {
      const reply = await served().ask(rrset.name, type, { tcp: true })
      expect(reply.rcode).toBe('NOERROR')
      expect(reply.aa).toBe(true)
      expect(sorted(reply.answers.map(({ value }) => value))).toEqual(sorted(rrset.records.map(shown)))
      expect(reply.answers.every((answer) => answer.ttl === 300 && answer.name === rrset.name)).toBe(true)
    }
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed([rrset]))
  })

  it('zone() returns a zone with records of all types', async () => {
    await reset(...all)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(all))
  })

  it('the apex has records beside SOA and NS', async () => {
    await reset(set(zone, 'MX', 300, recordTypeRules.MX.examples), set(zone, 'TXT', 300, plain('one', 'two')))
    expect(await values(zone, 'MX')).toEqual(sorted(recordTypeRules.MX.examples.map(shown)))
    expect(await values(zone, 'TXT')).toEqual(['one', 'two'])
  })

  it('a wildcard answers only for names that do not exist', async () => {
    await reset(set(`*.${zone}`, 'A', 300, plain('192.0.2.1')), set(`there.${zone}`, 'A', 300, plain('192.0.2.2')))
    expect(await values(`anything.${zone}`, 'A')).toEqual(['192.0.2.1'])
    expect(await values(`there.${zone}`, 'A')).toEqual(['192.0.2.2'])
    expect(await values(`*.${zone}`, 'A')).toEqual(['192.0.2.1'])
  })
}

function wholeZones({ served, reset, values, nextSerial }: Tools): void {
  it('creates a zone with its records', async () => {
    await reset(set(`www.${zone}`, 'A', 300, plain('192.0.2.1')))
    expect(await values(`www.${zone}`, 'A')).toEqual(['192.0.2.1'])
  })

  it('removes the former contents', async () => {
    await reset(set(`old.${zone}`, 'A', 300, plain('192.0.2.1')), set(zone, 'TXT', 300, plain('old')))
    await reset(set(`new.${zone}`, 'A', 300, plain('192.0.2.2')))
    expect((await served().ask(`old.${zone}`, 'A')).rcode).toBe('NXDOMAIN')
    expect(await values(zone, 'TXT')).toEqual([])
    expect(await values(`new.${zone}`, 'A')).toEqual(['192.0.2.2'])
  })

  it('setZone is idempotent', async () => {
    const whole = { zone, serial: nextSerial(), rrsets: [set(`www.${zone}`, 'A', 300, plain('192.0.2.1'))] }
    await served().dns.setZone(whole)
    await served().dns.setZone(whole)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(whole.rrsets))
  })

  it('accepts a zone without RRsets', async () => {
    await reset()
    expect(await served().dns.zone(zone)).toEqual([])
    expect((await served().ask(zone, 'SOA')).answers).toHaveLength(1)
  })

  it('setZone does not change other zones', async () => {
    const other = {
      zone: 'other-conformance.test',
      serial: 1,
      rrsets: [set('a.other-conformance.test', 'A', 60, plain('192.0.2.9'))],
    }
    await served().dns.setZone(other)
    await reset()
    expect(await values('a.other-conformance.test', 'A')).toEqual(['192.0.2.9'])
  })

  it('zone() returns undefined for an unknown zone', async () => {
    expect(await served().dns.zone('unknown-conformance.test')).toBeUndefined()
  })
}

function changes({ served, publish, reset, values }: Tools): void {
  const www = `www.${zone}`

  it('replaces all records of an RRset and its ttl, and no other RRset', async () => {
    await reset(set(www, 'A', 300, plain('192.0.2.1', '192.0.2.2')), set(www, 'TXT', 300, plain('stays')))
    await publish(set(www, 'A', 60, plain('192.0.2.2', '192.0.2.3')))
    const { answers } = await served().ask(www, 'A')
    expect(sorted(answers.map(({ value }) => value))).toEqual(['192.0.2.2', '192.0.2.3'])
    expect(answers.every(({ ttl }) => ttl === 60)).toBe(true)
    expect(await values(www, 'TXT')).toEqual(['stays'])
  })

  it('removes an RRset that has no records, and a name with its last RRset', async () => {
    await reset(set(www, 'A', 300, plain('192.0.2.1')), set(www, 'TXT', 300, plain('stays')))
    await publish(set(www, 'A', 300, []))
    expect(await served().ask(www, 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    await publish(set(www, 'TXT', 300, []))
    expect(await served().ask(www, 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
    expect(await served().dns.zone(zone)).toEqual([])
  })

  it('publish is idempotent', async () => {
    await reset(set(www, 'TXT', 300, plain('goes')))
    const rrsets = [set(www, 'A', 300, plain('192.0.2.1')), set(www, 'TXT', 300, [])]
    await publish(...rrsets)
    await publish(...rrsets)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(rrsets))
  })

  it('accepts the removal of a nonexistent RRset', async () => {
    await reset(set(www, 'A', 300, plain('192.0.2.1')))
    await publish(set(`nothing.${zone}`, 'A', 300, []))
    expect(await values(www, 'A')).toEqual(['192.0.2.1'])
  })

  it('changes many RRsets at once', async () => {
    await reset()
    const names = Array.from({ length: 100 }, (_, n) => `host${n}.${zone}`)
    await publish(...names.map((name, n) => set(name, 'A', 300, plain(`192.0.2.${n}`))))
    expect(await served().dns.zone(zone)).toHaveLength(100)
    expect(await values(names[99] ?? '', 'A')).toEqual(['192.0.2.99'])
  })

  it('502 upstream_error for an unknown zone', async () => {
    const rrsets = [set('a.unknown-conformance.test', 'A', 300, plain('192.0.2.1'))]
    const change = served().dns.publish({ zone: 'unknown-conformance.test', serial: 1, rrsets })
    await expect(change).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await served().dns.zone('unknown-conformance.test')).toBeUndefined()
  })
}

function timing({ served, publish, reset, values }: Tools): void {
  const www = `www.${zone}`

  it('the next query sees each of many changes', async () => {
    await reset()
    for (let n = 0; n < 30; n++) {
      await publish(set(www, 'A', 300, n % 3 === 2 ? [] : plain(`192.0.2.${n}`)))
      expect(await values(www, 'A')).toEqual(n % 3 === 2 ? [] : [`192.0.2.${n}`])
    }
  })

  it('applies concurrent changes of different names', async () => {
    await reset()
    const names = Array.from({ length: 20 }, (_, n) => `host${n}.${zone}`)
    await Promise.all(names.map((name) => publish(set(name, 'A', 300, plain('192.0.2.1')))))
    expect(await served().dns.zone(zone)).toHaveLength(20)
  })
}

function apexRecords({ served, publish, reset, values, serialOf }: Tools): void {
  it('serves an SOA and the NS, which zone() does not return', async () => {
    await reset()
    const soa = await served().ask(zone, 'SOA')
    const [nameserver] = await values(zone, 'NS')
    expect(soa).toMatchObject({ rcode: 'NOERROR', aa: true })
    expect(nameserver).toBeDefined()
    expect(await values(zone, 'NS')).toContain(soa.answers[0]?.value.split(' ')[0])
    expect(soa.answers[0]?.value.split(' ')[1]).toBe(`hostmaster.${zone}`)
    expect(await served().dns.zone(zone)).toEqual([])
  })

  it('increases the serial with every change', async () => {
    await reset()
    const before = await serialOf()
    await publish(set(`www.${zone}`, 'A', 300, plain('192.0.2.1')))
    const between = await serialOf()
    await publish(set(`www.${zone}`, 'A', 300, []))
    const after = await serialOf()
    expect(between).toBeGreaterThan(before)
    expect(after).toBeGreaterThan(between)
  })

  it('ping() resolves', async () => {
    await expect(served().dns.ping()).resolves.toBeUndefined()
  })
}
