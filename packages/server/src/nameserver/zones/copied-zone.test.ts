import { describe, expect, it } from 'vitest'
import { encodeRRsets, type Placed, type Stored } from '../../ports/dns/embedded/stored.js'
import { typeCode } from '../../ports/dns/embedded/codes.js'
import { recordTypeRules } from '../../ports/dns/types/index.js'
import { keyOf } from '../../ports/dns/wire/names.js'
import { CopiedZone, packedMax } from './copied-zone.js'
import { OpenZones } from './open-zones.js'

const recordsOf = (zone: string, count: number): Placed[] =>
  encodeRRsets(zone, 1, [
    { name: zone, type: 'NS', ttl: 60, records: [{ value: 'ns1.test', priority: null }] },
    ...Array.from({ length: count }, (_, n) => ({
      name: `h${n}.${zone}`,
      type: 'TXT' as const,
      ttl: 60,
      records: [{ value: `text ${n}`, priority: null }],
    })),
  ])

/** An SOA with the root for both names. */
function soaOf(serial: number): Stored {
  const bytes = Buffer.alloc(12 + 22)
  bytes.writeInt32BE(serial, 14)
  return { type: typeCode.SOA, serial, bytes, start: 0, end: bytes.length, next: undefined }
}

function zoneOf(name: string, count: number, openZones: OpenZones): CopiedZone {
  const zone = new CopiedZone(name, 1, openZones)
  zone.update(1, recordsOf(name, count), soaOf(1))
  zone.pack()
  return zone
}

const contents = (zone: CopiedZone): unknown => {
  const { keys, sets } = zone.snapshot()
  const texts = sets.map((set, n) => `${keys[n]} ${set.type} ${set.bytes.toString('hex', set.start, set.end)}`)
  return { texts: texts.sort(), ns: zone.apex?.ns?.bytes.length !== undefined, soa: zone.soa }
}

describe('a copied zone', () => {
  it('has the same RRsets after it was closed and is asked again', () => {
    const zone = new CopiedZone('example.test', 1, new OpenZones())
    zone.update(1, recordsOf('example.test', 10), soaOf(1))
    const before = contents(zone)
    zone.pack()
    expect(contents(zone)).toEqual(before)
    zone.close()
    expect(zone.node(keyOf('h3'))?.type).toBe(recordTypeRules.TXT.code)
    zone.close()
    expect(zone.cutOf(keyOf('h3'))).toBe(-1)
  })

  it('has a change that came while it was closed, and is read from its file as it was', () => {
    const openZones = new OpenZones()
    const zone = zoneOf('example.test', 10, openZones)
    zone.update(2, recordsOf('example.test', 11).slice(-1), soaOf(2))
    zone.pack()
    expect(zone.node(keyOf('h10'))).toBeDefined()
    expect(zone.soa?.serial).toBe(2)
    const read = CopiedZone.fromPacked('example.test', Buffer.concat([...zone.parts()]), openZones)
    expect(contents(read)).toEqual(contents(zone))
    expect(read.serial).toBe(2)
  })

  it('stays open if it is large', () => {
    const zone = zoneOf('example.test', 2_000, new OpenZones(0))
    const parts = Buffer.concat([...zone.parts()])
    expect(parts.length).toBeGreaterThan(packedMax)
    expect(zone.packedSize).toBe(0)
    expect(contents(CopiedZone.fromPacked('example.test', parts, new OpenZones(0)))).toEqual(contents(zone))
  })

  it('is closed when others are asked for, unless it was asked for meanwhile', () => {
    const size = zoneOf('a.test', 10, new OpenZones()).packedSize
    const openZones = new OpenZones(3 * size)
    const zones = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) => zoneOf(name, 10, openZones))
    const closed: string[] = []
    for (const zone of zones) {
      const close = zone.close.bind(zone)
      zone.close = () => {
        closed.push(zone.name)
        close()
      }
    }
    for (const at of [0, 1, 2, 3]) zones[at]?.node(keyOf('h1'))
    expect(closed).toEqual(['a.test'])
    zones[1]?.node(keyOf('h1'))
    zones[0]?.node(keyOf('h1'))
    expect(closed).toEqual(['a.test', 'c.test'])
  })
})
