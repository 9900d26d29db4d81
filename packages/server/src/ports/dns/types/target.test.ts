import { describeValues, type ValueTable } from '../../../../test/dns-values.js'

const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}`
const longest = `${long}.${'d'.repeat(61)}`

/** Values that all of these types accept. */
const kept = [
  'example.net',
  'www.example.net',
  'a.b.c.d.e.example.net',
  '1.example.net',
  '1-2--3.example.net',
  'xn--bcher-kva.example',
  'xn--p1ai.xn--p1ai',
  'host.example.com.example.net',
  'localhost',
  'nas.lan',
  '4.3.2.1.in-addr.arpa',
  longest,
]

const read = [
  ['example.net.', 'example.net'],
  ['Example.NET', 'example.net'],
  ['EXAMPLE.NET.', 'example.net'],
  [' example.net\n', 'example.net'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example.', 'xn--bcher-kva.example'],
  ['bu\u0308cher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['www。example．net｡', 'www.example.net'],
  ['ｅｘａｍｐｌｅ.net', 'example.net'],
  ['faß.example', 'xn--fa-hia.example'],
  ['LocalHost', 'localhost'],
  [`${longest}.`, longest],
] as const

const refusals = (wanted: string) => {
  const not = (value: string, why: string) =>
    [value, `value must be ${wanted}, not ${JSON.stringify(value)}: ${why}.`] as const
  return {
    not,
    common: [
      ['', 'value must not be empty.'],
      not(' ', 'a label is empty'),
      not('..', 'a label is empty'),
      not('www..example.net', 'a label is empty'),
      not('.example.net', 'a label is empty'),
      not('example.net..', 'a label is empty'),
      not('-a.example.net', '"-a" begins or ends with a hyphen'),
      not('a-.example.net', '"a-" begins or ends with a hyphen'),
      not('-ü.example.net', '"-ü" is not a valid internationalised label'),
      not('xn--a.example.net', '"xn--a" is not a valid internationalised label'),
      not('xn--www-.example.net', '"xn--www-" is not a valid internationalised label'),
      not('ü%41.example.net', '"ü%41" is not a valid internationalised label'),
      not('\u00ad.example.net', '"\u00ad" is not a valid internationalised label'),
      not('mail', 'write the name out in full, with its domain'),
      not('192.0.2.1', 'that is an address, which goes into an A or AAAA record'),
      not('2001:db8::1', 'that is an address, which goes into an A or AAAA record'),
      not('192.0.2.１', 'that is an address, which goes into an A or AAAA record'),
      not('0X7F.1', 'that is an address, which goes into an A or AAAA record'),
      [
        `${'a'.repeat(64)}.example.net`,
        `value must be ${wanted}, not "${'a'.repeat(60)}…": the label "${'a'.repeat(60)}…" has more than 63 characters.`,
      ],
      [`${longest}d`, `value must be ${wanted}, not "${'a'.repeat(60)}…": it has 254 characters, more than 253.`],
      ['a.'.repeat(600), `value must be ${wanted}, not "${'a.'.repeat(30)}…": it has more than 253 characters.`],
    ] as const,
  }
}

const hostOnly = 'has other characters than letters, digits and hyphens'
const nameOnly = 'has other characters than letters, digits, hyphens and underscores'

const aliasTable = (alias: ReturnType<typeof refusals>): ValueTable => ({
  kept: [...kept, '_dmarc.example.net', 's1._domainkey.example.net', 'a_b.example.net'],
  read: [...read, ['_DMARC.example.net.', '_dmarc.example.net'], ['＿sip._tcp.example.net', '_sip._tcp.example.net']],
  refused: [
    ...alias.common,
    alias.not('.', 'a label is empty'),
    alias.not('@', `"@" ${nameOnly}`),
    alias.not('*.example.net', `"*" ${nameOnly}`),
    alias.not('a b.example.net', `"a b" ${nameOnly}`),
    alias.not('https://example.net/', `"https://example" ${nameOnly}`),
    alias.not(String.raw`a\.b.example.net`, String.raw`"a\\" ` + nameOnly),
  ],
})
const v6Name = `${'1.0.0.0.'.padEnd(48, '0.')}8.b.d.0.1.0.0.2.ip6.arpa`
const holdsHost = 'that is an address. A PTR record holds a host name; the address is the name of the record'
const pointer = refusals('a full name such as host.example.net')
const pointers = aliasTable(pointer)
describeValues('PTR', {
  ...pointers,
  refused: [
    ...pointers.refused.filter(([, message]) => !message.includes('A or AAAA')),
    pointer.not('192.0.2.1', `${holdsHost}, 1.2.0.192.in-addr.arpa`),
    pointer.not(' 2001:db8::1', `${holdsHost}, ${v6Name}`),
    pointer.not('192.0.2.１', holdsHost),
  ],
})
const aliases = aliasTable(refusals('a full name such as www.example.net'))
describeValues('CNAME', {
  ...aliases,
  refused: [
    ...aliases.refused,
    ['host.example.com', "value must not be the record's own name, host.example.com."],
    ['HOST.example.com.', "value must not be the record's own name, host.example.com."],
  ],
})

const delegate = refusals('a full host name such as ns1.example.net')
describeValues('NS', {
  kept,
  read,
  refused: [
    ...delegate.common,
    delegate.not('.', 'a label is empty'),
    delegate.not('_ns.example.net', `"_ns" ${hostOnly}`),
    delegate.not('*.example.net', `"*" ${hostOnly}`),
    delegate.not('ns1.example.net ns2.example.net', `"net ns2" ${hostOnly}`),
  ],
})

const mail = refusals('a full host name such as mail.example.com')
describeValues('MX', {
  kept: [...kept, '.'],
  read: [...read, [' . ', '.']],
  refused: [
    ...mail.common,
    mail.not('_mail.example.net', `"_mail" ${hostOnly}`),
    mail.not('*.example.net', `"*" ${hostOnly}`),
    ...['10 mail.example.net', 'mail.example.net 10', ' 0\t. '].map(
      (value) =>
        [
          value,
          `value must be a full host name such as mail.example.com, not ${JSON.stringify(value)}. The priority is a separate field.`,
        ] as const,
    ),
    mail.not('10 mail example.net', `"10 mail example" ${hostOnly}`),
    mail.not('me@example.net', `"me@example" ${hostOnly}`),
  ],
})
