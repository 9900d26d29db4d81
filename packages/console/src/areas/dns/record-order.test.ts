import { describe, expect, it } from 'vitest'
import type { DnsRecord } from './queries.js'
import { compareRecords, inserted } from './record-order.js'

let id = 0
const record = (host: string, type: DnsRecord['type'], value = '192.0.2.1', priority: number | null = null) =>
  ({ id: (id += 1), host, type, value, priority, ttl: 3600 }) as DnsRecord

const texts = (records: readonly DnsRecord[]) => records.map(({ host, type, value }) => `${host} ${type} ${value}`)

describe('the order of records', () => {
  const ordered = [
    record('@', 'A'),
    record('@', 'MX', 'z.example.net', 5),
    record('@', 'MX', 'a.example.net', 10),
    record('_dmarc', 'TXT', 'v=DMARC1'),
    record('*', 'A'),
    record('h2', 'A', '192.0.2.1'),
    record('h2', 'A', '192.0.2.2'),
    record('h2', 'TXT', 'a'),
    record('h10', 'A'),
  ]

  it('has the zone itself first, then the hosts by name and number, and the records of a host by type, priority and value', () => {
    expect(texts([...ordered].reverse().sort(compareRecords))).toEqual(texts(ordered))
  })

  it('has a new record in its place, wherever that is', () => {
    for (const [index, added] of ordered.entries())
      expect(texts(inserted(ordered.toSpliced(index, 1), added))).toEqual(texts(ordered))
    expect(texts(inserted([], ordered[0] as DnsRecord))).toEqual([texts(ordered)[0]])
  })
})
