import { Type } from 'typebox'
import { domainNoteMaxLength } from '../limits.js'
import { added, byRule, open, operation } from '../operation.js'
import { ApexName, closed, Id, Nullable, plainTextPattern, TimeOrNull } from '../schema.js'

/** The account's domain portfolio (specification, section 4.5). */

export * from './domain-calendar.js'

const notShown = 'The fields of a domain are not shown beyond its expiry.'

const Domain = Type.Object(
  {
    id: Id('Id of the domain'),
    domain: Type.String({ description: 'The name, in lower case; IDNs in punycode' }),
    note: Type.String({ description: 'A note of the user; empty without one' }),
    registrar: Nullable(Type.String(), { description: 'Null if unknown' }),
    registered_at: TimeOrNull('When it was registered'),
    expires_at: TimeOrNull('When the registration ends'),
    nameservers: Type.Array(Type.String(), { description: 'As in the registry record' }),
    statuses: Type.Array(Type.String(), { description: 'As in the registry record' }),
    synced_at: TimeOrNull('When it was last refreshed from its registry record'),
  },
  open(notShown),
)

const exampleDomain = {
  id: 6,
  domain: 'example.com',
  note: '',
  registrar: 'Example Registrar, Inc.',
  registered_at: '1995-08-14T04:00:00.000Z',
  expires_at: '2027-08-13T04:00:00.000Z',
  nameservers: ['a.iana-servers.net', 'b.iana-servers.net'],
  statuses: ['client transfer prohibited'],
  synced_at: '2026-11-20T09:30:00.000Z',
}

export const list = operation({
  id: 'domains.list',
  method: 'GET',
  path: '/v1/domains',
  access: { anyOf: ['domain:read', 'domain:write'] },
  summary: 'List domains, soonest expiry first',
  data: Type.Object({ domains: Type.Array(Domain, open(`An unknown expiry sorts last. ${notShown}`)) }),
  example: { data: { domains: [exampleDomain] } },
})

export const whoisSync = operation({
  id: 'domains.whoisSync',
  method: 'POST',
  path: '/v1/domains/whois-sync',
  access: { anyOf: ['domain:write'] },
  summary: 'Refresh one domain from its registry record',
  open:
    'A failed refresh changes nothing, and a value that the registry no longer gives is kept. A domain that the registry does not know ' +
    'answers 404, like one that no portfolio has.',
  body: Type.Object(
    { domain: ApexName('A domain of the portfolio') },
    open('The body of this request is not shown.', closed),
  ),
  data: Domain,
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { domain: 'example.com' }, data: exampleDomain },
})

export const add = operation({
  id: 'domains.add',
  method: 'POST',
  path: '/v1/domains/add',
  access: { anyOf: ['domain:write'] },
  addition: true,
  summary: 'Add domains to the portfolio: all of them, or none',
  description:
    'The answer does not wait for the registries: the data of a new domain follows within seconds. A domain that is there already stays unchanged.',
  body: Type.Object(
    { domains: Type.Array(ApexName('An apex domain, such as `example.co.uk`'), { minItems: 1, maxItems: 100 }) },
    added(closed),
  ),
  data: Type.Object({ domains: Type.Array(Domain, { description: 'In the order of the request' }) }, added({})),
  example: { body: { domains: ['example.com'] }, data: { domains: [exampleDomain] } },
})

export const remove = operation({
  id: 'domains.remove',
  method: 'POST',
  path: '/v1/domains/remove',
  access: { anyOf: ['domain:write'] },
  addition: true,
  summary: 'Remove a domain from the portfolio',
  body: Type.Object({ id: Id('Id of the domain') }, added(closed)),
  data: Type.Object({ id: Id('Id of the removed domain'), deleted: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 6 }, data: { id: 6, deleted: true } },
})

export const annotate = operation({
  id: 'domains.annotate',
  method: 'POST',
  path: '/v1/domains/annotate',
  access: { anyOf: ['domain:write'] },
  addition: true,
  summary: 'Set the note of a domain',
  body: Type.Object(
    {
      id: Id('Id of the domain'),
      note: Type.String({
        maxLength: domainNoteMaxLength,
        ...byRule({ pattern: plainTextPattern }),
        description: 'One line; an empty text removes the note',
      }),
    },
    added(closed),
  ),
  data: Domain,
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 6, note: 'renewed by Ada' }, data: { ...exampleDomain, note: 'renewed by Ada' } },
})
