import { expect, it } from 'vitest'
import { defaultHosts } from './servers.js'
import { readWhois } from './read-whois.js'

const source = '% No entries found for the selected source(s).'
const notFound = 'Domain not found.\n>>> Last update of WHOIS database: 2026-11-20T10:00:00Z <<<'
const noEntry = 'We do not have an entry in our database matching your query.'
const noData = 'No Data Found\nURL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/'

/** The answers of these registries about an unregistered domain. `@` stands for its name. */
const answers: Readonly<Record<string, string>> = {
  ac: notFound,
  at: '% Copyright (c)2026 by NIC.AT (1)\n\n% nothing found',
  be: 'Domain:\t@\nStatus:\tAVAILABLE',
  by: 'Object does not exist',
  ch: noEntry,
  cl: '@: no entries found.',
  cn: 'No matching record.',
  co: noData,
  de: 'Domain: @\nStatus: free',
  dk: 'No entries found for the selected source.',
  edu: 'NO MATCH: @',
  ee: 'Domain not found',
  eu: '% WHOIS @\nDomain: @\nScript: LATIN\n\nStatus: AVAILABLE',
  gg: 'NOT FOUND',
  hk: 'The domain has not been registered.',
  hr: '%ERROR:101: no entries found',
  hu: '% Whois server 3.0 serving the hu ccTLD\n\n\nNincs talalat / No match',
  ie: 'Not found: @',
  il: '% No data was found to match the request criteria.',
  im: 'The domain @ was not found.',
  io: notFound,
  it: 'Domain:             @\nStatus:             AVAILABLE',
  je: 'NOT FOUND',
  jp: '[ Its use is restricted to network administration purposes. For further information,     ]\n\nNo match!!',
  kz: 'Whois Server for the KZ top level domain name.\n\n*** Nothing found for this query.',
  la: 'The queried object does not exist: DOMAIN NOT FOUND',
  li: noEntry,
  lt: 'Domain:\t\t\t@\nStatus:\t\t\tavailable',
  lu: '% No such domain',
  lv: '[Domain]\nDomain: @\nStatus: free',
  me: notFound,
  mx: 'No_Se_Encontro_El_Objeto/Object_Not_Found\n\n\n% NOTICE: The expiration date displayed in this record',
  nu: 'domain "@" not found.',
  nz: 'No match for "@".',
  pt: '@ - No Match',
  ro: source,
  rs: '%ERROR:103: Domain is not registered',
  ru: source,
  se: 'domain "@" not found.',
  sh: notFound,
  sk: 'Domain not found.',
  su: source,
  tr: 'No match found for "@"',
  us: noData,
  kr: "query : @\n\nThe requested domain was not found in the Registry or Registrar's WHOIS Server.",
  pl: 'No information available about domain name @ in the Registry NASK database.',
}

it.each(Object.keys(answers))('reads that a domain of .%s is not registered', (topLevel) => {
  const domain = `example-4.${topLevel}`
  const text = (answers[topLevel] ?? '').replaceAll('@', domain)
  expect(readWhois(text, domain)).toBeUndefined()
})

it('the answer of every usual registry is tested', () => {
  expect(Object.keys(answers)).toEqual(expect.arrayContaining(Object.keys(defaultHosts)))
})
