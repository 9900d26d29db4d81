import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import type { RRset } from '../port.js'
import { keyWithin } from '../wire/names.js'
import { encodeRRsets } from './stored.js'
import { isNewerSerial } from '../serial.js'
import { ZoneMap } from './zone-map.js'

const zone = 'model.test'
const nameOf = (labels: readonly string[]) => [...labels, zone].join('.')
const hosts = fc.array(fc.constantFrom('a', 'b', '*', 'c'), { minLength: 1, maxLength: 4 })
const changes = fc.array(
  fc.record({ labels: hosts, type: fc.constantFrom<RecordType[]>('A', 'TXT', 'NS'), there: fc.boolean() }),
  { maxLength: 40 },
)

/** A literal, slow implementation of RFC 4592, section 3.3.1: the name whose data answers; null without data, undefined for NXDOMAIN. */
function expected(names: readonly string[], name: string): string | null | undefined {
  const exists = (wanted: string) =>
    wanted === zone || names.some((other) => other === wanted || other.endsWith(`.${wanted}`))
  const at = (wanted: string) => (names.includes(wanted) ? wanted : null)
  if (exists(name)) return at(name)
  let encloser = name
  while (!exists(encloser)) encloser = encloser.slice(encloser.indexOf('.') + 1)
  return exists(`*.${encloser}`) ? at(`*.${encloser}`) : undefined
}

const kind = (found: unknown) => (found === undefined ? 'nothing' : found === null ? 'empty' : 'data')

describe('a zone in memory', () => {
  it('finds the same names as a literal implementation of the RFCs, after any additions and removals', () => {
    fc.assert(
      fc.property(changes, fc.array(hosts, { maxLength: 10 }), (all, questions) => {
        const map = new ZoneMap(zone, 1)
        const there = new Set<string>()
        all.forEach(({ labels, type, there: add }, n) => {
          const name = nameOf(labels)
          const value = type === 'A' ? '192.0.2.1' : name
          const records = add ? [{ value, priority: null }] : []
          map.apply(2 + n, encodeRRsets(zone, 2 + n, [{ name, type, ttl: 60, records }]))
          if (add) there.add(`${name} ${type}`)
          else there.delete(`${name} ${type}`)
        })
        expect(new Set(map.rrsets().map(({ name, type }) => `${name} ${type}`))).toEqual(there)
        const names = [...new Set([...there].map((entry) => entry.split(' ')[0]!))]
        for (const labels of [...questions, ...all.map((change) => change.labels)]) {
          const name = nameOf(labels)
          const found = map.node(keyWithin(zone, name))
          const source = expected(names, name)
          expect(kind(found)).toBe(kind(source))
          if (typeof source === 'string') expect(found).toBe(map.exact(keyWithin(zone, source)))
          const cuts = [...there].filter((entry) => entry.endsWith(' NS')).map((entry) => entry.split(' ')[0]!)
          const over = cuts
            .filter((cut) => name === cut || name.endsWith(`.${cut}`))
            .sort((x, y) => x.length - y.length)
          const cut = map.cutOf(keyWithin(zone, name))
          expect(cut < 0 ? undefined : nameOf(labels).split('.').slice(-over[0]!.split('.').length).join('.')).toBe(
            over[0],
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('ends in the newest state for any order of changes and loads', () => {
    const rrset = (host: number, value: number): RRset => ({
      name: `h${host}.${zone}`,
      type: 'A',
      ttl: 60,
      records: value === 0 ? [] : [{ value: `192.0.2.${value}`, priority: null }],
    })
    const history = fc.array(fc.tuple(fc.nat(4), fc.nat(3)), { minLength: 1, maxLength: 12 })
    // Which change arrives: as a publish, or as a load of the whole zone after that change.
    const arrivals = fc.array(fc.tuple(fc.nat(11), fc.boolean()), { maxLength: 30 })
    const bases = fc.constantFrom(1, 2_026_110_100, 0xffff_fffa, 0x7fff_fffa)
    fc.assert(
      fc.property(history, arrivals, bases, (changes, order, base) => {
        const serialOf = (n: number) => (base + n) >>> 0
        const stateAfter = (n: number): RRset[] =>
          [0, 1, 2, 3, 4].flatMap((host) => {
            const last = changes.slice(0, n).findLast(([changed]) => changed === host)
            return last === undefined || last[1] === 0 ? [] : [rrset(host, last[1])]
          })
        let map = ZoneMap.of({ zone, serial: base, rrsets: [] })
        let loaded = 0
        const published = new Map<number, number>()
        for (const [wanted, whole] of order) {
          const n = 1 + (wanted % changes.length)
          if (whole) {
            const load = ZoneMap.of({ zone, serial: serialOf(n), rrsets: stateAfter(n) })
            if (load.mergeNewer(map)) map = load
            loaded = Math.max(loaded, n)
          } else {
            const [host, value] = changes[n - 1]!
            expect(map.apply(serialOf(n), encodeRRsets(zone, serialOf(n), [rrset(host, value)]))).toBe(true)
            published.set(host, Math.max(published.get(host) ?? 0, n))
          }
        }
        const expectedSets = [0, 1, 2, 3, 4].flatMap((host) => {
          const newest = published.get(host) ?? 0
          if (newest <= loaded) return stateAfter(loaded).filter(({ name }) => name.startsWith(`h${host}.`))
          const value = changes[newest - 1]![1]
          return value === 0 ? [] : [rrset(host, value)]
        })
        const byName = (sets: readonly RRset[]) => [...sets].sort((a, b) => (a.name < b.name ? -1 : 1))
        expect(byName(map.rrsets())).toEqual(byName(expectedSets))
        expect(map.serial >>> 0).toBe(serialOf(Math.max(loaded, ...published.values())))
      }),
      { numRuns: 2000 },
    )
  })

  it('ignores NS records at its apex', () => {
    const map = ZoneMap.of({
      zone,
      serial: 1,
      rrsets: [{ name: zone, type: 'NS', ttl: 60, records: [{ value: 'ns.evil.test', priority: null }] }],
    })
    expect(map.rrsets()).toEqual([])
  })

  it('has no wildcard, alias or delegation at a challenge, before and after changes', () => {
    const alias = { type: 'CNAME' as const, ttl: 60, records: [{ value: 'elsewhere.test', priority: null }] }
    const names = [`*.${zone}`, `_svcdns-verify.${zone}`, `_svcdns-verify.a.b.${zone}`, `*.b.${zone}`]
    const sets = names.flatMap((name) =>
      [
        { name, ...alias },
        { name, ...alias, type: 'NS' as const },
      ].slice(0, name.startsWith('*') ? 1 : 2),
    )
    const map = ZoneMap.of({ zone, serial: 1, rrsets: sets })
    const challenges = [`_svcdns-verify.${zone}`, `_svcdns-verify.a.b.${zone}`, `_svcdns-verify.x.y.${zone}`]
    const nodes = () => challenges.map((name) => map.node(keyWithin(zone, name)))
    expect(nodes()).toEqual([undefined, undefined, undefined])
    map.apply(2, [...encodeRRsets(zone, 2, sets)])
    expect(nodes()).toEqual([undefined, undefined, undefined])
    expect(challenges.map((name) => map.cutOf(keyWithin(zone, name)))).toEqual([-1, -1, -1])
    expect(map.node(keyWithin(zone, `www.${zone}`))).toBeDefined()
    const txt = { name: challenges[0]!, type: 'TXT' as const, ttl: 60, records: [{ value: 'x', priority: null }] }
    map.apply(3, [...encodeRRsets(zone, 3, [txt])])
    expect(nodes().map(kind)).toEqual(['data', 'nothing', 'nothing'])
  })

  it.each([
    [2, 1, true],
    [1, 2, false],
    [1, 1, false],
    [1, 0xffff_ffff, true],
    [0xffff_ffff, 1, false],
    [0x8000_0000, 0x7fff_ffff, true],
  ])('serial %i is newer than %i: %s', (a, b, newer) => {
    expect(isNewerSerial(a, b)).toBe(newer)
  })

  it('loads 1,000 zones of 100 records in less than three seconds', () => {
    const started = process.cpuUsage()
    let count = 0
    for (let n = 0; n < 1000; n++) {
      const name = `zone${n}.test`
      const rrsets = Array.from({ length: 100 }, (_, host) => ({
        name: `host${host}.${name}`,
        type: 'A' as const,
        ttl: 300,
        records: [{ value: `192.0.2.${host}`, priority: null }],
      }))
      count += ZoneMap.of({ zone: name, serial: 1, rrsets }).rrsets().length
    }
    expect(count).toBe(100_000)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3000)
  })
})
