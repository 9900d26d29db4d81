import { describe, expect, it } from 'vitest'
import type { RRset } from '../port.js'
import { encodeRRsets } from './stored.js'
import { Journals } from './zone-journal.js'
import { ZoneMap } from './zone-map.js'

const set = (zone: string, n: number): RRset => ({
  name: `h${n}.${zone}`,
  type: 'TXT',
  ttl: 60,
  records: [{ value: 'x'.repeat(100), priority: null }],
})

const recorded = (journals: Journals, zone: string) => {
  const map = ZoneMap.of({ zone, serial: 1, rrsets: [] })
  map.record(journals)
  return (serial: number) => {
    map.apply(serial, encodeRRsets(zone, serial, [set(zone, serial)]))
    return map
  }
}

describe('the journals of zones', () => {
  it('record nothing before the first transfer', () => {
    const change = recorded(new Journals(), 'a.test')
    expect(change(2).changesSince(1)).toBeUndefined()
  })

  it('keep the last changes of a zone within its limit', () => {
    const journals = new Journals({ totalMax: 1_000_000, zoneMax: 2_000 })
    journals.isRecording = true
    const change = recorded(journals, 'a.test')
    for (let serial = 2; serial < 20; serial++) change(serial)
    const map = change(20)
    expect(map.changesSince(1)).toBeUndefined()
    expect(map.changesSince(19)).toHaveLength(1)
    expect(map.changesSince(17)).toHaveLength(3)
  })

  it('forget the zone that has not changed for the longest time when all of them are too large', () => {
    const journals = new Journals({ totalMax: 1_500, zoneMax: 1_200 })
    journals.isRecording = true
    const [old, recent] = [recorded(journals, 'old.test'), recorded(journals, 'recent.test')]
    const oldMap = old(2)
    recent(2)
    expect(oldMap.changesSince(1)).toHaveLength(1)
    const recentMap = recent(3)
    expect(oldMap.changesSince(1)).toBeUndefined()
    expect(recentMap.changesSince(1)).toHaveLength(2)
    expect(old(3).changesSince(2)).toHaveLength(1)
  })

  it('of thousands of zones make room for a large change at once', () => {
    const journals = new Journals({ totalMax: 4_000_000, zoneMax: 4_000_000 })
    journals.isRecording = true
    const small = Array.from({ length: 6_500 }, (_, n) => recorded(journals, `z${n}.test`)(2))
    const large = ZoneMap.of({ zone: 'large.test', serial: 1, rrsets: [] })
    large.record(journals)
    const records = Array.from({ length: 60 }, (_, n) => ({ value: `${n} ${'x'.repeat(60_000)}`, priority: null }))
    large.apply(2, encodeRRsets('large.test', 2, [{ ...set('large.test', 1), records }]))
    expect(large.changesSince(1)).toHaveLength(1)
    expect(small.filter((map) => map.changesSince(1) !== undefined).length).toBeLessThan(1_000)
  })

  it('have no change of an RRset that is again as it was', () => {
    const journals = new Journals()
    journals.isRecording = true
    const map = ZoneMap.of({ zone: 'a.test', serial: 1, rrsets: [set('a.test', 1)] })
    map.record(journals)
    map.apply(2, encodeRRsets('a.test', 2, [{ ...set('a.test', 1), records: [] }]))
    map.apply(3, encodeRRsets('a.test', 3, [set('a.test', 1)]))
    expect(map.changesSince(2)).toHaveLength(1)
    expect(map.changesSince(1)).toHaveLength(1)
  })
  it('go on after a load of the same serial that has the records of an RRset in another order', () => {
    const journals = new Journals()
    journals.isRecording = true
    const records = ['one', 'two'].map((value) => ({ value, priority: null }))
    const map = ZoneMap.of({ zone: 'a.test', serial: 1, rrsets: [] })
    map.record(journals)
    map.apply(2, encodeRRsets('a.test', 2, [{ ...set('a.test', 1), records }]))
    const load = ZoneMap.of({
      zone: 'a.test',
      serial: 2,
      rrsets: [{ ...set('a.test', 1), records: records.toReversed() }],
    })
    load.recordAfter(map)
    load.apply(3, encodeRRsets('a.test', 3, [set('a.test', 2)]))
    expect(load.changesSince(2)).toHaveLength(1)
    expect(load.changesSince(1)).toHaveLength(2)
  })
})
