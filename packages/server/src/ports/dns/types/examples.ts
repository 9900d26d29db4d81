import type { RecordType } from '@svc/contract'
import type { RRsetRecord } from '../port.js'

const plain = (...values: string[]): RRsetRecord[] => values.map((value) => ({ value, priority: null }))

/** Canonical values of every type, in the order of their bytes. Test data: each adapter of the dns port has to serve them. */
export const exampleRecords: Readonly<Record<RecordType, readonly RRsetRecord[]>> = {
  A: plain('192.0.2.1', '192.0.2.200'),
  AAAA: plain('2001:db8::1', '2001:db8:0:1::ffff', '::ffff:192.0.2.1'),
  CNAME: plain('target_1._domainkey.example.net'),
  MX: [
    { value: 'mail.example.net', priority: 10 },
    { value: 'mx.conformance.test', priority: 65_535 },
  ],
  TXT: plain('v=DKIM1; p=' + 'A'.repeat(700), 'Grüße "an" \\ alle', ' '),
  NS: plain('ns1.delegated.conformance.test', 'ns2.example.net'),
  SRV: [
    { value: '0 0 .', priority: 0 },
    { value: '5 5060 sip.conformance.test', priority: 10 },
  ],
  CAA: plain('0 issue "letsencrypt.org; validationmethods=dns-01"', '128 iodef "mailto:a\\"b\\\\c@example.com"'),
  PTR: plain('host.example.net'),
  SPF: plain('v=spf1 include:_spf.example.net ~all'),
}
