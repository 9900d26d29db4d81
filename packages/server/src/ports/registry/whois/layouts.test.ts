import { expect, it } from 'vitest'
import type { WhoisRecord } from './parser.js'
import { readWhois } from './read-whois.js'

const utc = (iso: string): number => Date.parse(`${iso}Z`)
const day = (date: string): number => Date.parse(date)
const nameservers = ['ns1.example.net', 'ns2.example.net']

/** Parts of answers whose layout only this registry uses. */
it.each<[string, Partial<WhoisRecord>, string]>([
  [
    'edu',
    { createdAt: day('1985-05-23'), updatedAt: day('2025-08-05'), expiresAt: day('2027-07-31'), nameservers },
    `Domain Name: EXAMPLE.EDU

Registrant:
\tExample University

Name Servers:
\tNS1.EXAMPLE.NET
\tNS2.EXAMPLE.NET

Domain record activated:    23-May-1985
Domain record last updated: 05-Aug-2025
Domain expires:             31-Jul-2027`,
  ],
  [
    'mx',
    { createdAt: day('2009-05-12'), updatedAt: day('2025-04-09'), expiresAt: day('2027-05-11'), nameservers },
    `Domain Name:       example.mx

Created On:        2009-05-12
Expiration Date:   2027-05-11
Last Updated On:   2025-04-09
Registrar:         Example Registrar

Name Servers:
   DNS:            ns1.example.net
   DNS:            ns2.example.net

DNSSEC DS Records:`,
  ],
  [
    'dk',
    { createdAt: day('1996-07-12'), expiresAt: day('2027-09-30'), statuses: ['Active'], dnssec: true, nameservers },
    `Domain:               example.dk
DNS:                  example.dk
Registered:           1996-07-12
Expires:              2027-09-30
DNSSEC:               Signed delegation, 1 DS record
Status:               Active

Registrant
Handle:               ***N/A***
Name:                 Example

Nameservers
Hostname:             ns1.example.net
Hostname:             ns2.example.net`,
  ],
  [
    'rs',
    {
      createdAt: utc('2008-03-10T12:31:19'),
      updatedAt: utc('2025-03-25T12:11:25'),
      statuses: ['Active'],
      nameservers,
      dnssec: false,
    },
    `Domain name: example.rs
Domain status: Active https://www.rnids.rs/en/domain-name-status-codes#Active
Registration date: 10.03.2008 12:31:19
Modification date: 25.03.2025 12:11:25
Registrar: Example Registrar

Registrant: Example

DNS: ns1.example.net - 192.0.2.1
DNS: ns2.example.net - 192.0.2.2

DNSSEC signed: no`,
  ],
  [
    'ee',
    {
      domain: 'example.ee',
      registrar: 'Example Registrar',
      statuses: ['ok (paid and in zone)'],
      nameservers,
      createdAt: utc('2010-07-04T02:53:30'),
      updatedAt: utc('2025-10-21T09:31:43'),
      expiresAt: day('2027-10-28'),
    },
    `Domain:
name:       example.ee
status:     ok (paid and in zone)
registered: 2010-07-04 05:53:30 +03:00
changed:    2025-10-21 12:31:43 +03:00
expire:     2027-10-28

Registrant:
name:       Example
changed:    2024-10-21 12:31:43 +03:00

Registrar:
name:       Example Registrar
url:        http://registrar.example
changed:    2020-07-01 13:55:58 +03:00

Name servers:
nserver:   ns1.example.net
nserver:   ns2.example.net
changed:   2020-07-01 13:55:58 +03:00`,
  ],
  [
    'lv',
    { registrar: 'Example Registrar', updatedAt: null, statuses: ['active'], nameservers },
    `[Domain]
Domain: example.lv
Status: active

[Holder]
Name: Example

[Registrar]
Type: Legal person
Name: Example Registrar

[Nservers]
Nserver: ns1.example.net
Nserver: ns2.example.net

[Whois]
Updated: 2026-11-22T10:00:00.000000+00:00`,
  ],
  [
    'im',
    { expiresAt: utc('2027-09-01T00:59:56'), nameservers },
    `Domain Name: example.im
Domain Owners / Registrant
Name: Redacted
Expiry Date: 01/09/2027 00:59:56
Name Server:ns1.example.net.
Name Server:ns2.example.net.`,
  ],
  [
    'kz',
    { registrar: 'EXAMPLE', createdAt: utc('1999-08-09T12:00:00'), updatedAt: utc('2025-01-01T12:00:00'), nameservers },
    `Domain Name............: example.kz

Organization Using Domain Name
Name...................: Example

Nameserver in listed order

Primary server.........: ns1.example.net
Primary ip address.....: 192.0.2.1
Secondary server.......: ns2.example.net

Domain created: 1999-08-09 12:00:00 (GMT+0:00)
Last modified : 2025-01-01 12:00:00 (GMT+0:00)

Current Registar: EXAMPLE`,
  ],
  [
    'gg',
    { registrar: 'Example Registrar', createdAt: day('2003-04-30'), expiresAt: null, nameservers },
    `Domain:
     example.gg

Registrant:
     Example

Registrar:
     Example Registrar

Relevant dates:
     Registered on 30th April 2003 at 00:00:00.000
     Registry fee due on 30th April each year

Name servers:
     ns1.example.net
     ns2.example.net`,
  ],
  [
    'cn',
    { createdAt: utc('2003-03-17T04:20:05'), expiresAt: utc('2027-03-17T04:48:36'), nameservers },
    `Domain Name: example.cn
Sponsoring Registrar: Example Registrar
Name Server: ns1.example.net
Name Server: ns2.example.net
Registration Time: 2003-03-17 12:20:05
Expiration Time: 2027-03-17 12:48:36`,
  ],
  [
    'tr',
    { registrar: 'Example Registrar', createdAt: day('2001-08-23'), updatedAt: null, nameservers },
    `** Domain Name: example.tr
Domain Status: Active

** Registrar:
NIC Handle\t\t: exa99
Organization Name\t: Example Registrar
Address\t\t: Example Street

** Domain Servers:
ns1.example.net
ns2.example.net 192.0.2.2

** Additional Info:
Created on..............: 2001-Aug-23.
Expires on..............: 2027-Aug-22.`,
  ],
  [
    'hk',
    { registrar: 'EXAMPLE REGISTRAR', createdAt: day('2004-12-07'), expiresAt: day('2027-03-31'), nameservers },
    `Domain Name:  EXAMPLE.HK

Domain Status: Active

Registrar Name: EXAMPLE REGISTRAR

Domain Name Commencement Date: 07-12-2004
Expiry Date: 31-03-2027

Name Servers Information:

NS1.EXAMPLE.NET
NS2.EXAMPLE.NET

Status Information:

Domain Prohibit Status:`,
  ],
  [
    'lu',
    { registrar: 'Example Registrar', createdAt: day('2003-05-27'), nameservers },
    `domainname:     example.lu
domaintype:     ACTIVE
nserver:        ns1.example.net
nserver:        ns2.example.net
registered:     27/05/2003
org-name:       Example
registrar-name:         Example Registrar`,
  ],
  [
    'sk',
    { registrar: 'EXA-2', createdAt: day('2003-01-01'), statuses: ['ok'], dnssec: true, nameservers },
    `Domain:                       example.sk
Registrar:                    EXA-2
Created:                      2003-01-01
Nameserver:                   ns1.example.net
Nameserver:                   ns2.example.net
EPP Status:                   ok
DNSSEC: signed

Registrar:                    EXA-2
Name:                         Example Registrar
Created:                      2017-09-01`,
  ],
])('reads the layout of .%s', (topLevel, expected, text) => {
  expect(readWhois(text, `example.${topLevel}`)).toMatchObject(expected)
})

it('text with a colon is not a label', () => {
  const text = 'Domain: example.test\nStatus: ok\nhttps://registry.example\nat 10:30:00\nexpires:2027-01-02'
  expect(readWhois(text, 'example.test')).toMatchObject({ statuses: ['ok'], expiresAt: day('2027-01-02') })
})
