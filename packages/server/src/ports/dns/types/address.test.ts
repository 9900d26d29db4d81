import { describeValues } from '../../../../test/dns-values.js'

const noIpv4 = (value: string, hint = '') =>
  [value, `value must be an IPv4 address such as 192.0.2.1, not ${JSON.stringify(value)}.${hint}`] as const

describeValues('A', {
  kept: [
    '192.0.2.1',
    '0.0.0.0',
    '255.255.255.255',
    '127.0.0.1',
    '10.0.0.10',
    '1.2.3.4',
    '100.64.0.1',
    '169.254.1.1',
    '198.51.100.200',
    '203.0.113.99',
  ],
  // An IPv4 address has one spelling. Only white space around it can differ, as in pasted text.
  read: [
    [' 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1 ', '192.0.2.1'],
    ['  192.0.2.1  ', '192.0.2.1'],
    ['192.0.2.1\n', '192.0.2.1'],
    ['192.0.2.1\r\n', '192.0.2.1'],
    ['\t192.0.2.1', '192.0.2.1'],
    ['192.0.2.1\t', '192.0.2.1'],
    ['\u00a0192.0.2.1', '192.0.2.1'],
    ['192.0.2.1\u00a0', '192.0.2.1'],
    ['\ufeff192.0.2.1', '192.0.2.1'],
  ],
  refused: [
    ['', 'value must not be empty.'],
    noIpv4(' '),
    noIpv4('192.0.2'),
    noIpv4('192.0.2.1.1'),
    noIpv4('192.0.2.256'),
    noIpv4('192.0.2.01'),
    noIpv4('0300.0.2.1'),
    noIpv4('0xc0.0.2.1'),
    noIpv4('3221225985'),
    noIpv4('127.1'),
    noIpv4('192.0.2.-1'),
    noIpv4('192.0.2.1/32'),
    noIpv4('192.0.2.1:53'),
    noIpv4('192.0.2.1.'),
    noIpv4('192.0.2.1, 192.0.2.2'),
    noIpv4('１９２.0.2.1'),
    noIpv4('www.example.com'),
    noIpv4('192.0.2.1\0'),
    noIpv4('2001:db8::1', ' That is an IPv6 address: it goes into an AAAA record.'),
  ],
})

const noIpv6 = (value: string, hint = '') =>
  [value, `value must be an IPv6 address such as 2001:db8::1, not ${JSON.stringify(value)}.${hint}`] as const

describeValues('AAAA', {
  kept: [
    '2001:db8::1',
    '::',
    '::1',
    'fe80::1',
    '2001:db8:1:2:3:4:5:6',
    '2001:db8::1:0:0:1',
    '2001:db8:0:1:1:1:1:1',
    '::ffff:192.0.2.1',
    '64:ff9b::c000:201',
    'ff02::fb',
    '1::',
    'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ],
  read: [
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8::0:1', '2001:db8::1'],
    ['2001:db8:0:0::1', '2001:db8::1'],
    [' 2001:db8::1\n', '2001:db8::1'],
    // RFC 5952, section 4.2.2: one group of zeros is not shortened.
    ['2001:db8::1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    // Section 4.2.3: the longest run of zeros is shortened, the first of several equal runs.
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1::1', '2001:db8::1:0:0:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['1:0:0:0:0:0:0:0', '1::'],
    // Section 5: mapped addresses have dots.
    ['::ffff:c000:201', '::ffff:192.0.2.1'],
    ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
    ['0:0:0:0:0:ffff:c0:a1', '::ffff:0.192.0.161'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::192.0.2.1', '::c000:201'],
  ],
  refused: [
    ['', 'value must not be empty.'],
    noIpv6(':'),
    noIpv6(':::'),
    noIpv6('2001:db8'),
    noIpv6('2001:db8::1::2'),
    noIpv6('2001:db8:1:2:3:4:5:6:7'),
    noIpv6('2001:db8::12345'),
    noIpv6('2001:db8::g'),
    noIpv6('[2001:db8::1]'),
    noIpv6('2001:db8::1/64'),
    noIpv6('::ffff:192.0.2.256'),
    noIpv6('::ffff:192.0.2.01'),
    noIpv6('2001:db8::1.'),
    noIpv6('ip6.example.com'),
    noIpv6('fe80::1%eth0', ' A zone id has a meaning on one machine only (RFC 4007, section 11.2).'),
    noIpv6('192.0.2.1', ' That is an IPv4 address: it goes into an A record.'),
  ],
})
