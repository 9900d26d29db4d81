import type { RecordType } from '@svc/contract'
import type { RRset, RRsetRecord, Zone } from '../../packages/server/src/ports/dns/port.js'

const set = (host: string, type: RecordType, records: readonly RRsetRecord[], ttl = 3600): RRset => ({
  name: host === '@' ? 'plain.test' : `${host}.plain.test`,
  type,
  ttl,
  records,
})
const plain = (...values: string[]): RRsetRecord[] => values.map((value) => ({ value, priority: null }))

/** A typical zone with every record type. */
export const plainZone: Zone = {
  zone: 'plain.test',
  serial: 2_026_112_001,
  rrsets: [
    set('@', 'A', plain('192.0.2.1', '192.0.2.2')),
    set('@', 'AAAA', plain('2001:db8::1', '::ffff:192.0.2.1')),
    set('@', 'MX', [
      { value: 'mail.plain.test', priority: 10 },
      { value: 'mx.example.net', priority: 20 },
    ]),
    set('@', 'TXT', plain('v=spf1 -all', 'Grüße "an" \\ alle')),
    set('@', 'SPF', plain('v=spf1 -all')),
    set('@', 'CAA', plain('0 issue "letsencrypt.org"', '128 iodef "mailto:a@example.com"')),
    set('www', 'CNAME', plain('plain.test'), 60),
    set('mail', 'A', plain('192.0.2.25'), 2_592_000),
    set('mail', 'AAAA', plain('2001:db8::25')),
    set('nomail', 'MX', [{ value: '.', priority: 0 }]),
    set('_sip._tcp', 'SRV', [
      { value: '60 5060 sip.plain.test', priority: 10 },
      { value: '0 0 .', priority: 20 },
    ]),
    set('sip', 'A', plain('192.0.2.50')),
    set('ptr', 'PTR', plain('host.plain.test', 'host.example.net')),
    set('dkim._domainkey', 'TXT', plain(`v=DKIM1; p=${'A'.repeat(400)}`)),
    set('sub', 'NS', plain('ns1.sub.plain.test', 'ns2.example.net')),
    set('ns1.sub', 'A', plain('192.0.2.60')),
    set('*.dev', 'A', plain('192.0.2.70')),
    set('many', 'A', plain(...Array.from({ length: 60 }, (_, n) => `198.51.100.${n}`))),
  ],
}
