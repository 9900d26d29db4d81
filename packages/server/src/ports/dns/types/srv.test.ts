import { describeValues } from '../../../../test/dns-values.js'

const not = (value: string, hint = '') =>
  [
    value,
    `value must be weight, port and target, such as "5 5060 sip.example.com", not ${JSON.stringify(value)}.${hint}`,
  ] as const
const number = (value: string, what: string) =>
  [value, `value must have a ${what} from 0 to 65535, not ${JSON.stringify(value)}.`] as const
const target = (value: string, why: string) =>
  [
    value,
    `value must be weight, port and full host name, such as "5 5060 sip.example.com", not ${JSON.stringify(value.split(' ').at(-1))}: ${why}.`,
  ] as const

describeValues('SRV', {
  kept: [
    '5 5060 sip.example.com',
    '0 0 .',
    '1 443 .',
    '65535 65535 a.example.com',
    '0 389 dc.ad.lan',
    '10 25 xn--bcher-kva.example',
    '0 1 localhost',
    '60 5269 xmpp-server.l.example.net',
    '20 8448 matrix.example.org',
    '1 1 1.example.net',
  ],
  read: [
    ['5 5060 sip.example.com.', '5 5060 sip.example.com'],
    ['5 5060 SIP.Example.COM', '5 5060 sip.example.com'],
    ['5  5060   sip.example.com', '5 5060 sip.example.com'],
    ['5\t5060\tsip.example.com', '5 5060 sip.example.com'],
    [' 5 5060 sip.example.com\n', '5 5060 sip.example.com'],
    ['05 05060 sip.example.com', '5 5060 sip.example.com'],
    ['00 0000 .', '0 0 .'],
    ['5 5060 bücher.example', '5 5060 xn--bcher-kva.example'],
    ['5 5060 XN--BCHER-KVA.example.', '5 5060 xn--bcher-kva.example'],
    ['5 5060 sip。example。com', '5 5060 sip.example.com'],
  ],
  refused: [
    ['', 'value must not be empty.'],
    not(' '),
    not('sip.example.com'),
    not('5060 sip.example.com'),
    not('10 5 5060 sip.example.com', ' The priority is a separate field.'),
    not('1 10 5 5060 sip.example.com'),
    number('-1 5060 sip.example.com', 'weight'),
    number('65536 5060 sip.example.com', 'weight'),
    number('5.5 5060 sip.example.com', 'weight'),
    number('0x5 5060 sip.example.com', 'weight'),
    number('5 sip 5060', 'port'),
    number('5 65536 sip.example.com', 'port'),
    number('5 99999999999 sip.example.com', 'port'),
    target('5 5060 _sip.example.com', '"_sip" has other characters than letters, digits and hyphens'),
    target('5 5060 *.example.com', '"*" has other characters than letters, digits and hyphens'),
    target('5 5060 192.0.2.1', 'that is an address, which goes into an A or AAAA record'),
    target('5 5060 sip', 'write the name out in full, with its domain'),
    target('5 5060 ..', 'a label is empty'),
  ],
})
