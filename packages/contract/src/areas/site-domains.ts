import { Type } from 'typebox'
import { added, byRule, operation } from '../operation.js'
import { closed, Time } from '../schema.js'
import { exampleSite, SiteName } from './site.js'

/** The own domains of sites. */

const Domain = Type.Object({
  host: Type.String({ description: 'Host at which the site is served' }),
  name: Type.String({ description: 'Name of the site' }),
  zone: Type.String({ description: 'Zone of the host' }),
  active: Type.Boolean({
    description: 'Whether the zone is verified for this account; otherwise the host is not served',
  }),
  records: Type.Array(
    Type.Object({
      type: Type.Enum(['A', 'AAAA', 'CNAME'], { description: 'Type of the DNS record' }),
      value: Type.String({ description: 'Value of the DNS record' }),
    }),
    { description: 'DNS records that were created with the domain, and are removed with it' },
  ),
  created_at: Time('When it was added'),
})

const host = Type.String({
  minLength: 1,
  ...byRule({ maxLength: 253 }),
  description: 'Full host name in a verified zone: `www.example.com`',
})

const domain = {
  host: 'docs.example.com',
  name: 'docs',
  zone: 'example.com',
  active: true,
  records: [{ type: 'CNAME' as const, value: 'docs.sites.example.net' }],
  created_at: exampleSite.created_at,
}

export const domains = operation({
  id: 'sites.domains',
  method: 'GET',
  path: '/v1/sites/domains',
  access: { anyOf: ['sites:read', 'sites:write'] },
  touches: { kind: 'site', access: 'read' },
  addition: true,
  summary: "List the domains of the account's sites",
  data: Type.Object({ domains: Type.Array(Domain) }, added({})),
  example: { data: { domains: [domain] } },
})

export const domainAdd = operation({
  id: 'sites.domainAdd',
  method: 'POST',
  path: '/v1/sites/domains/add',
  access: { anyOf: ['sites:write'] },
  touches: { kind: 'site', access: 'write', by: 'body.name' },
  addition: true,
  summary: 'Serve a site at a host of a verified zone, and create its DNS records',
  description:
    'The scope of sites is enough for these records, which belong to the domain. Adding a domain again creates missing records, and orders its certificate now if that has failed.',
  body: Type.Object({ name: SiteName, host }, added(closed)),
  data: Type.Object(Domain.properties, added({})),
  errors: ['not_found', 'forbidden', 'forbidden_zone', 'upstream_error'],
  example: { body: { name: 'docs', host: 'docs.example.com' }, data: domain },
})

export const domainRemove = operation({
  id: 'sites.domainRemove',
  method: 'POST',
  path: '/v1/sites/domains/remove',
  access: { anyOf: ['sites:write'] },
  touches: { kind: 'site', access: 'write', by: 'body.host' },
  addition: true,
  summary: 'Stop serving a site at a host, and remove the DNS records that were created with it',
  body: Type.Object({ host }, added(closed)),
  data: Type.Object({ host: Type.String({ description: 'The removed host' }), deleted: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { host: 'docs.example.com' }, data: { host: 'docs.example.com', deleted: true } },
})
