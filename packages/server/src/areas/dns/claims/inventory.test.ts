import { expect, it } from 'vitest'
import type { RecordType } from '@svc/contract'
import type { RRset } from '../../../ports/dns/port.js'
import { readInventory } from './inventory.js'

const zone = 'corp.com'
const set = (name: string, type: RecordType, value: string, more: { ttl?: number; priority?: number } = {}): RRset => ({
  name,
  type,
  ttl: more.ttl ?? 300,
  records: [{ value, priority: more.priority ?? null }],
})
const read = (...rrsets: RRset[]) => readInventory(zone, { rrsets, unreadable: [], unmanaged: [] })

it('takes over every record with its host, and notes each ttl that it moves into the accepted range', () => {
  const { records, notes, problems } = read(
    set('corp.com', 'MX', 'mail.corp.com', { priority: 10 }),
    set('www.corp.com', 'AAAA', '2001:db8::1', { ttl: 5 }),
    set('*.corp.com', 'TXT', 'a;b "c" \\', { ttl: 9_999_999 }),
    set('s.corp.com', 'SRV', '0 0 .', { priority: 1 }),
    set('caa.corp.com', 'CAA', '0 issue ";"'),
  )
  expect(problems).toEqual([])
  expect(records.map(({ record }) => record)).toEqual([
    { type: 'MX', host: '@', value: 'mail.corp.com', priority: 10, ttl: 300 },
    { type: 'AAAA', host: 'www', value: '2001:db8::1', priority: null, ttl: 60 },
    { type: 'TXT', host: '*', value: 'a;b "c" \\', priority: null, ttl: 2_592_000 },
    { type: 'SRV', host: 's', value: '0 0 .', priority: 1, ttl: 300 },
    { type: 'CAA', host: 'caa', value: '0 issue ";"', priority: null, ttl: 300 },
  ])
  expect(notes).toEqual([
    'www.corp.com AAAA: its ttl of 5 becomes 60',
    '*.corp.com TXT: its ttl of 9999999 becomes 2592000',
  ])
})

it.each([
  [set('corp.com', 'CNAME', 'www.example.net'), 'host @ is the zone itself, which cannot be a CNAME'],
  [set('sp\\032ace.corp.com', 'A', '192.0.2.1'), 'host must be'],
  [set('a;b.corp.com', 'A', '192.0.2.1'), 'host must be'],
  [set('www.corp.com', 'CNAME', 'a;b.example.net'), 'value must be'],
  [set('elsewhere.net', 'A', '192.0.2.1'), 'is not in the zone corp.com'],
  [set('t.corp.com', 'TXT', '"in quotes"'), 'must be a text that does not begin with a quotation mark'],
  [set('t.corp.com', 'TXT', 'two\nlines'), 'without control characters'],
])('lists $name as a record that cannot be taken over', (rrset, problem) => {
  const { problems } = read(set('www.corp.com', 'A', '192.0.2.1'), rrset)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(problem)
  expect(problems[0]?.startsWith(`${rrset.name} ${rrset.type} `)).toBe(true)
})

it('lists content that svc cannot read, shortened', () => {
  const unreadable = [{ name: 'odd.corp.com', type: 'TXT', content: `"\\255${'x'.repeat(5000)}"` }]
  const { problems } = readInventory(zone, { rrsets: [], unreadable, unmanaged: [] })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('odd.corp.com TXT')
  expect(problems[0]?.length).toBeLessThan(500)
})

it('rethrows an error that is not an ApiError', () => {
  const broken = { ...set('www.corp.com', 'A', '192.0.2.1'), records: [null as never] }
  expect(() => read(broken)).toThrow(TypeError)
})
