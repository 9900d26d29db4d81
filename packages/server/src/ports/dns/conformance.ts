import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordTypes, type RecordType } from '@svc/contract'
import type { Dns, RRset, RRsetRecord } from './port.js'
import { exampleRecords } from './types/examples.js'

/** What a query gets. Values as svc writes them; MX and SRV have the priority in front. */
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
  /** Asks the nameserver itself, over TCP where `tcp` says so. */
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

/** What every adapter of the port keeps, asked by real queries. */
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
  describe('publish', () => {
    changes(tools)
    timing(tools)
  })
  describe('the apex', () => {
    apexRecords(tools)
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
  const all = recordTypes.map((type) => set(nameOf(type), type, 300, exampleRecords[type]))

  it.each(recordTypes)('%s is answered as it was published, and given back', async (type) => {
    await reset()
    const rrset = set(nameOf(type), type, 300, exampleRecords[type])
    await publish(rrset)
    // Below a delegation is nothing to answer: the NS come as a referral.
    if (type !== 'NS') {
      const said = await served().ask(rrset.name, type, { tcp: true })
      expect(said.rcode).toBe('NOERROR')
      expect(said.aa).toBe(true)
      expect(sorted(said.answers.map(({ value }) => value))).toEqual(sorted(rrset.records.map(shown)))
      expect(said.answers.every((answer) => answer.ttl === 300 && answer.name === rrset.name)).toBe(true)
    }
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed([rrset]))
  })

  it('a zone with all of them is given back', async () => {
    await reset(...all)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(all))
  })

  it('the apex has records beside SOA and NS', async () => {
    await reset(set(zone, 'MX', 300, exampleRecords.MX), set(zone, 'TXT', 300, plain('one', 'two')))
    expect(await values(zone, 'MX')).toEqual(sorted(exampleRecords.MX.map(shown)))
    expect(await values(zone, 'TXT')).toEqual(['one', 'two'])
  })

  it('a wildcard answers for what is not there', async () => {
    await reset(set(`*.${zone}`, 'A', 300, plain('192.0.2.1')), set(`there.${zone}`, 'A', 300, plain('192.0.2.2')))
    expect(await values(`anything.${zone}`, 'A')).toEqual(['192.0.2.1'])
    expect(await values(`there.${zone}`, 'A')).toEqual(['192.0.2.2'])
    expect(await values(`*.${zone}`, 'A')).toEqual(['192.0.2.1'])
  })
}

function wholeZones({ served, reset, values, nextSerial }: Tools): void {
  it('makes a zone known', async () => {
    await reset(set(`www.${zone}`, 'A', 300, plain('192.0.2.1')))
    expect(await values(`www.${zone}`, 'A')).toEqual(['192.0.2.1'])
  })

  it('leaves nothing of what was there before', async () => {
    await reset(set(`old.${zone}`, 'A', 300, plain('192.0.2.1')), set(zone, 'TXT', 300, plain('old')))
    await reset(set(`new.${zone}`, 'A', 300, plain('192.0.2.2')))
    expect((await served().ask(`old.${zone}`, 'A')).rcode).toBe('NXDOMAIN')
    expect(await values(zone, 'TXT')).toEqual([])
    expect(await values(`new.${zone}`, 'A')).toEqual(['192.0.2.2'])
  })

  it('does the same when it is called again', async () => {
    const whole = { zone, serial: nextSerial(), rrsets: [set(`www.${zone}`, 'A', 300, plain('192.0.2.1'))] }
    await served().dns.setZone(whole)
    await served().dns.setZone(whole)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(whole.rrsets))
  })

  it('takes an empty zone', async () => {
    await reset()
    expect(await served().dns.zone(zone)).toEqual([])
    expect((await served().ask(zone, 'SOA')).answers).toHaveLength(1)
  })

  it('leaves other zones alone', async () => {
    const other = {
      zone: 'other-conformance.test',
      serial: 1,
      rrsets: [set('a.other-conformance.test', 'A', 60, plain('192.0.2.9'))],
    }
    await served().dns.setZone(other)
    await reset()
    expect(await values('a.other-conformance.test', 'A')).toEqual(['192.0.2.9'])
  })

  it('a zone that is not known is undefined', async () => {
    expect(await served().dns.zone('unknown-conformance.test')).toBeUndefined()
  })
}

function changes({ served, publish, reset, values }: Tools): void {
  const www = `www.${zone}`

  it('replaces an RRset whole, its ttl too, and no other', async () => {
    await reset(set(www, 'A', 300, plain('192.0.2.1', '192.0.2.2')), set(www, 'TXT', 300, plain('stays')))
    await publish(set(www, 'A', 60, plain('192.0.2.2', '192.0.2.3')))
    const { answers } = await served().ask(www, 'A')
    expect(sorted(answers.map(({ value }) => value))).toEqual(['192.0.2.2', '192.0.2.3'])
    expect(answers.every(({ ttl }) => ttl === 60)).toBe(true)
    expect(await values(www, 'TXT')).toEqual(['stays'])
  })

  it('takes an RRset away that has no records left, and the name with the last one', async () => {
    await reset(set(www, 'A', 300, plain('192.0.2.1')), set(www, 'TXT', 300, plain('stays')))
    await publish(set(www, 'A', 300, []))
    expect(await served().ask(www, 'A')).toMatchObject({ rcode: 'NOERROR', answers: [] })
    await publish(set(www, 'TXT', 300, []))
    expect(await served().ask(www, 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] })
    expect(await served().dns.zone(zone)).toEqual([])
  })

  it('does the same when it is called again', async () => {
    await reset(set(www, 'TXT', 300, plain('goes')))
    const rrsets = [set(www, 'A', 300, plain('192.0.2.1')), set(www, 'TXT', 300, [])]
    await publish(...rrsets)
    await publish(...rrsets)
    expect(listed((await served().dns.zone(zone)) ?? [])).toEqual(listed(rrsets))
  })

  it('takes away what is not there', async () => {
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

  it('502 upstream_error for a zone that is not known', async () => {
    const rrsets = [set('a.unknown-conformance.test', 'A', 300, plain('192.0.2.1'))]
    const change = served().dns.publish({ zone: 'unknown-conformance.test', serial: 1, rrsets })
    await expect(change).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await served().dns.zone('unknown-conformance.test')).toBeUndefined()
  })
}

function timing({ served, publish, reset, values }: Tools): void {
  const www = `www.${zone}`

  it('is seen by the next query, time and again', async () => {
    await reset()
    for (let n = 0; n < 30; n++) {
      await publish(set(www, 'A', 300, n % 3 === 2 ? [] : plain(`192.0.2.${n}`)))
      expect(await values(www, 'A')).toEqual(n % 3 === 2 ? [] : [`192.0.2.${n}`])
    }
  })

  it("changes of different names do not get in each other's way", async () => {
    await reset()
    const names = Array.from({ length: 20 }, (_, n) => `host${n}.${zone}`)
    await Promise.all(names.map((name) => publish(set(name, 'A', 300, plain('192.0.2.1')))))
    expect(await served().dns.zone(zone)).toHaveLength(20)
  })
}

function apexRecords({ served, publish, reset, values, serialOf }: Tools): void {
  it('has an SOA and the nameservers, which are no records of the zone', async () => {
    await reset()
    const soa = await served().ask(zone, 'SOA')
    const [nameserver] = await values(zone, 'NS')
    expect(soa).toMatchObject({ rcode: 'NOERROR', aa: true })
    expect(nameserver).toBeDefined()
    expect(await values(zone, 'NS')).toContain(soa.answers[0]?.value.split(' ')[0])
    expect(soa.answers[0]?.value.split(' ')[1]).toBe(`hostmaster.${zone}`)
    expect(await served().dns.zone(zone)).toEqual([])
  })

  it('moves the serial forward with every change', async () => {
    await reset()
    const before = await serialOf()
    await publish(set(`www.${zone}`, 'A', 300, plain('192.0.2.1')))
    const between = await serialOf()
    await publish(set(`www.${zone}`, 'A', 300, []))
    const after = await serialOf()
    expect(between).toBeGreaterThan(before)
    expect(after).toBeGreaterThan(between)
  })

  it('pings', async () => {
    await expect(served().dns.ping()).resolves.toBeUndefined()
  })
}
