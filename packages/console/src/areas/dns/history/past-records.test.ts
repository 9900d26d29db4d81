import { expect, it } from 'vitest'
import { pastRecords } from './past-records.js'

it('lists the records of a zone as it was, in the order of the page of the records', () => {
  const records = pastRecords({
    zone: 'example.com',
    serial: 7,
    rrsets: [
      { host: 'www', type: 'A', ttl: 300, values: ['192.0.2.10', '192.0.2.2'] },
      { host: '@', type: 'MX', ttl: 3600, values: ['20 b.example.net', '10 a.example.net'] },
      { host: '_sip._tcp', type: 'SRV', ttl: 60, values: ['1 5 5060 sip.example.net'] },
      { host: '@', type: 'TXT', ttl: 300, values: ['v=spf1 -all'] },
    ],
  })
  expect(
    records.map(
      ({ name, type, ttl, priority, value }) => `${name} ${String(ttl)} ${type} ${String(priority)} ${value}`,
    ),
  ).toEqual([
    'example.com 3600 MX 10 a.example.net',
    'example.com 3600 MX 20 b.example.net',
    'example.com 300 TXT null v=spf1 -all',
    '_sip._tcp.example.com 60 SRV 1 5 5060 sip.example.net',
    'www.example.com 300 A null 192.0.2.2',
    'www.example.com 300 A null 192.0.2.10',
  ])
  expect(new Set(records.map(({ id }) => id)).size).toBe(6)
})
