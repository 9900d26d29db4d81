import { Type } from 'typebox'
import { Site, siteNamePattern } from '../areas/sites.js'
import { byRule, open, operation } from '../operation.js'
import { Id, Time, closed } from '../schema.js'

/** Static sites in the console: their versions and their own domains. */

const notShown = 'The specification has no versions: the console lists the last five, and restores one.'

const name = Type.String(open(notShown, { pattern: siteNamePattern, description: 'Name of the site' }))

const Version = Type.Object(
  {
    version: Id('Id of the version'),
    number: Type.Integer({
      minimum: 1,
      description: 'Number among the versions of the site, never used again: 3 for v3',
    }),
    current: Type.Boolean({ description: 'Whether the site serves this version' }),
    files: Type.Integer({ minimum: 0, description: 'Number of files' }),
    size: Type.Integer({ minimum: 0, description: 'Size of all files in bytes' }),
    deployed_at: Time('When it was deployed'),
  },
  open(notShown),
)

const deployed = '2026-11-20T09:30:00.000Z'

export const versions = operation({
  id: 'sites.versions',
  method: 'GET',
  path: '/console/api/sites/versions',
  access: 'token',
  summary: 'List the kept versions of a site, newest first',
  open: notShown,
  query: Type.Object({ name }, closed),
  data: Type.Object({ versions: Type.Array(Version, open(notShown)) }),
  errors: ['not_found', 'forbidden'],
  example: {
    query: { name: 'docs' },
    data: { versions: [{ version: 8, number: 3, current: true, files: 2, size: 2048, deployed_at: deployed }] },
  },
})

export const restore = operation({
  id: 'sites.restore',
  method: 'POST',
  path: '/console/api/sites/restore',
  access: 'token',
  summary: 'Serve a kept version of a site from now on',
  open: notShown,
  body: Type.Object({ name, version: Id('Id of the version') }, closed),
  data: Site,
  errors: ['not_found', 'forbidden'],
  example: {
    body: { name: 'docs', version: 8 },
    data: {
      id: 5,
      name: 'docs',
      url: 'http://docs.localhost:8080/',
      files: 2,
      size: 2048,
      deployed_at: deployed,
      created_at: deployed,
    },
  },
})

const noDomains = 'The specification has no domains of sites: the console lists, adds and removes them.'

const Domain = Type.Object(
  {
    host: Type.String(open(noDomains, { description: 'Host at which the site is served' })),
    name: Type.String(open(noDomains, { description: 'Name of the site' })),
    zone: Type.String(open(noDomains, { description: 'Zone of the host' })),
    active: Type.Boolean(
      open(noDomains, {
        description: 'Whether the zone is verified for this account; otherwise the host is not served',
      }),
    ),
    records: Type.Array(
      Type.Object({
        type: Type.Enum(['A', 'AAAA', 'CNAME'], open(noDomains, { description: 'Type of the DNS record' })),
        value: Type.String(open(noDomains, { description: 'Value of the DNS record' })),
      }),
      open(noDomains, { description: 'DNS records that were created with the domain, and are removed with it' }),
    ),
    created_at: Time('When it was added'),
  },
  open(noDomains),
)

const host = Type.String(
  open(noDomains, {
    minLength: 1,
    ...byRule({ maxLength: 253 }),
    description: 'Full host name in a zone that is verified for this account, such as `www.example.com`',
  }),
)

const domain = {
  host: 'www.example.com',
  name: 'docs',
  zone: 'example.com',
  active: true,
  records: [{ type: 'CNAME' as const, value: 'docs.sites.example.net' }],
  created_at: deployed,
}

export const domains = operation({
  id: 'sites.domains',
  method: 'GET',
  path: '/console/api/sites/domains',
  access: 'token',
  summary: "List the domains of the account's sites",
  open: noDomains,
  data: Type.Object({ domains: Type.Array(Domain, open(noDomains)) }),
  example: { data: { domains: [domain] } },
})

export const domainAdd = operation({
  id: 'sites.domainAdd',
  method: 'POST',
  path: '/console/api/sites/domains/add',
  access: 'token',
  summary: 'Serve a site at a host of a verified zone, and create its DNS records',
  open: noDomains,
  body: Type.Object({ name, host }, closed),
  data: Domain,
  errors: ['not_found', 'forbidden', 'forbidden_zone', 'upstream_error'],
  example: { body: { name: 'docs', host: 'www.example.com' }, data: domain },
})

export const domainRemove = operation({
  id: 'sites.domainRemove',
  method: 'POST',
  path: '/console/api/sites/domains/remove',
  access: 'token',
  summary: 'Stop serving a site at a host, and remove the DNS records that were created with it',
  open: noDomains,
  body: Type.Object({ host }, closed),
  data: Type.Object({
    host: Type.String(open(noDomains, { description: 'The removed host' })),
    deleted: Type.Literal(true, open(noDomains)),
  }),
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { host: 'www.example.com' }, data: { host: 'www.example.com', deleted: true } },
})
