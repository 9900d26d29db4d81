import { describeValues } from '../../../../test/dns-values.js'

const form = `flags, tag and value, such as '0 issue "letsencrypt.org"'`
const not = (value: string) => [value, `value must be ${form}, not ${JSON.stringify(value)}.`] as const

describeValues('CAA', {
  kept: [
    '0 issue "letsencrypt.org"',
    '0 issuewild "letsencrypt.org"',
    '0 issue ";"',
    '0 issue ""',
    '128 issue "ca.example.net"',
    '255 tbs "Unknown"',
    '0 iodef "mailto:security@example.com"',
    '0 iodef "https://iodef.example.com/report?a=b"',
    '0 issue "letsencrypt.org; validationmethods=dns-01; accounturi=https://acme.example/acct/1"',
    '0 issuemail "authority.example"',
    String.raw`0 contactemail "\"domains\" \\ x@example.com"`,
    '0 contactphone "+1 555 0100"',
  ],
  read: [
    ['0 issue letsencrypt.org', '0 issue "letsencrypt.org"'],
    ['0 ISSUE "letsencrypt.org"', '0 issue "letsencrypt.org"'],
    ['0  issue\t"letsencrypt.org"', '0 issue "letsencrypt.org"'],
    [' 0 issue "letsencrypt.org"\n', '0 issue "letsencrypt.org"'],
    ['00 issue "letsencrypt.org"', '0 issue "letsencrypt.org"'],
    ['0 issue ;', '0 issue ";"'],
    ['0 issue letsencrypt.org; validationmethods=dns-01', '0 issue "letsencrypt.org; validationmethods=dns-01"'],
    [String.raw`0 issue "letsencrypt\.org"`, '0 issue "letsencrypt.org"'],
    [String.raw`0 issue "\108etsencrypt.org"`, '0 issue "letsencrypt.org"'],
    [String.raw`0 issue "letsencrypt.org\; a=b"`, '0 issue "letsencrypt.org; a=b"'],
    ['0 iodef mailto:security@example.com', '0 iodef "mailto:security@example.com"'],
    [String.raw`0 tbs a\b"c`, String.raw`0 tbs "a\\b\"c"`],
    // White space around an issuer is allowed and kept.
    ['0 issue " letsencrypt.org "', '0 issue " letsencrypt.org "'],
  ],
  refused: [
    ['', 'value must not be empty.'],
    not('letsencrypt.org'),
    not('issue letsencrypt.org'),
    not('0 issue'),
    ['issue letsencrypt.org 0', 'value must have flags from 0 to 255, 128 for critical, not "issue".'],
    ['256 issue "letsencrypt.org"', 'value must have flags from 0 to 255, 128 for critical, not "256".'],
    ['-1 issue "letsencrypt.org"', 'value must have flags from 0 to 255, 128 for critical, not "-1".'],
    ['0 is-sue "letsencrypt.org"', 'value must have a tag of 1 to 15 letters and digits, such as issue, not "is-sue".'],
    [
      '0 abcdefghijklmnop "x"',
      'value must have a tag of 1 to 15 letters and digits, such as issue, not "abcdefghijklmnop".',
    ],
    [
      '0 issue "letsencrypt.org',
      `value must be ${form}, with \\" for a quotation mark inside, not "\\"letsencrypt.org".`,
    ],
    ['0 issue "a" "b"', `value must be ${form}, with \\" for a quotation mark inside, not "\\"a\\" \\"b\\"".`],
    [String.raw`0 tbs "\256"`, `value must be ${form}, with \\" for a quotation mark inside, not "\\"\\\\256\\"".`],
    ['0 tbs "ü"', String.raw`value must have a value of printable ASCII characters, not "\"ü\"".`],
    ['0 tbs a\nb', String.raw`value must have a value of printable ASCII characters, not "a\nb".`],
    [
      '0 issue "https://letsencrypt.org"',
      'value must name an authority for issue, such as letsencrypt.org, or ; for none, not "https://letsencrypt.org".',
    ],
    [
      '0 issuewild "a_b.example"',
      'value must name an authority for issuewild, such as letsencrypt.org, or ; for none, not "a_b.example".',
    ],
    [
      '0 issuemail "*.example"',
      'value must name an authority for issuemail, such as letsencrypt.org, or ; for none, not "*.example".',
    ],
    [
      '0 iodef "security@example.com"',
      'value must have a mailto: or https: URL for iodef (RFC 8659, section 4.4), not "security@example.com".',
    ],
  ],
})
