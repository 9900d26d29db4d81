import type { RecordType } from '@svc/contract'
import type { RRset, Zone } from '../src/ports/dns/port.js'

/** Zones with the difficult cases of DNS, for the embedded nameserver's tests and the comparison with others. */

const set = (name: string, type: RecordType, ...values: (string | [number, string])[]): RRset => ({
  name,
  type,
  ttl: 300,
  records: values.map((value) =>
    typeof value === 'string' ? { value, priority: null } : { value: value[1], priority: value[0] },
  ),
})

export const zones: readonly Zone[] = [
  {
    zone: 'example.test',
    serial: 7,
    holder: 1,
    rrsets: [
      set('example.test', 'A', '192.0.2.1'),
      set(
        'example.test',
        'MX',
        [10, 'mail.example.test'],
        [20, 'mail.example.test'],
        [30, 'mx.other.test'],
        [40, 'mx.unknown.test'],
      ),
      set('mail.example.test', 'A', '192.0.2.2'),
      set('mail.example.test', 'AAAA', '2001:db8::2'),
      set('ns1.example.test', 'A', '192.0.2.53'),
      set('_sip._tcp.example.test', 'SRV', [0, '1 5060 mail.example.test']),
      set('deep.down.example.test', 'A', '192.0.2.3'),
      set('alias.example.test', 'CNAME', 'second.example.test'),
      set('second.example.test', 'CNAME', 'mail.example.test'),
      set('apex.example.test', 'CNAME', 'example.test'),
      set('abroad.example.test', 'CNAME', 'www.other.test'),
      set('away.example.test', 'CNAME', 'www.unknown.test'),
      set('nowhere.example.test', 'CNAME', 'missing.example.test'),
      set('nodata.example.test', 'CNAME', 'mail.example.test'),
      set('loop1.example.test', 'CNAME', 'loop2.example.test'),
      set('loop2.example.test', 'CNAME', 'loop1.example.test'),
      set('self.example.test', 'CNAME', 'self.example.test'),
      set('into.example.test', 'CNAME', 'www.sub.example.test'),
      set('foreign.example.test', 'CNAME', 'www.foreign.test'),
      set('nowhere-foreign.example.test', 'CNAME', 'missing.foreign.test'),
      set('released.example.test', 'CNAME', 'www.released.test'),
      set('hosts.example.test', 'MX', [10, 'mx.foreign.test'], [20, 'mail.released.test'], [30, 'mx.other.test']),
      set('_sip._udp.example.test', 'SRV', [0, '1 5060 mx.foreign.test'], [1, '1 5060 mx.other.test']),
      set('cut.example.test', 'NS', 'mx.foreign.test', 'mx.other.test', 'mail.example.test'),
      set('*.wild.example.test', 'A', '192.0.2.4'),
      set('*.wild.example.test', 'MX', [10, 'mail.example.test']),
      set('there.wild.example.test', 'TXT', 'there'),
      set('a.ent.wild.example.test', 'TXT', 'below'),
      set('*.chain.example.test', 'CNAME', 'mail.example.test'),
      set('*.round.example.test', 'CNAME', 'a.round.example.test'),
      set('sub.example.test', 'NS', 'ns.sub.example.test', 'ns1.example.test', 'ns.unknown.test'),
      set('ns.sub.example.test', 'A', '192.0.2.60'),
      set('ns.sub.example.test', 'AAAA', '2001:db8::60'),
      set('hidden.sub.example.test', 'A', '192.0.2.61'),
      set('lower.sub.example.test', 'NS', 'ns.unknown.test'),
      set('mx-below.example.test', 'MX', [10, 'hidden.sub.example.test']),
      set('big.example.test', 'TXT', 'x'.repeat(1500)),
      set('to-big.example.test', 'CNAME', 'big.example.test'),
      set('half.example.test', 'TXT', 'x'.repeat(600)),
      set('crowd.example.test', 'NS', ...Array.from({ length: 30 }, (_, n) => `ns${n}.crowd.example.test`)),
      ...Array.from({ length: 30 }, (_, n) => set(`ns${n}.crowd.example.test`, 'AAAA', `2001:db8::1:${n}`)),
    ],
  },
  {
    zone: 'other.test',
    serial: 9,
    holder: 1,
    rrsets: [
      set('www.other.test', 'A', '192.0.2.100'),
      set('mx.other.test', 'A', '192.0.2.101'),
      set('gone.other.test', 'CNAME', 'gone2.other.test'),
    ],
  },
  { zone: 'inner.other.test', serial: 11, holder: 1, rrsets: [set('www.inner.other.test', 'A', '192.0.2.110')] },
  // A zone of another account, with a zone of the first account below it.
  {
    zone: 'foreign.test',
    serial: 13,
    holder: 2,
    rrsets: [
      set('www.foreign.test', 'A', '192.0.2.120'),
      set('mx.foreign.test', 'A', '192.0.2.121'),
      set('back.foreign.test', 'CNAME', 'www.example.test'),
      set('*.foreign.test', 'TXT', 'synthesised'),
    ],
  },
  {
    zone: 'inner.foreign.test',
    serial: 15,
    holder: 1,
    rrsets: [set('www.inner.foreign.test', 'CNAME', 'www.other.test')],
  },
  // A released zone: no account holds it.
  {
    zone: 'released.test',
    serial: 17,
    holder: null,
    rrsets: [
      set('www.released.test', 'A', '192.0.2.130'),
      set('alias.released.test', 'CNAME', 'www.released.test'),
      set('released.test', 'MX', [10, 'mail.released.test'], [20, 'mail.unheld.test']),
      set('mail.released.test', 'A', '192.0.2.131'),
      set('to-unheld.released.test', 'CNAME', 'mail.unheld.test'),
    ],
  },
  { zone: 'unheld.test', serial: 19, rrsets: [set('mail.unheld.test', 'A', '192.0.2.132')] },
]
