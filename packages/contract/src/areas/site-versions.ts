import { Type } from 'typebox'
import { added, operation } from '../operation.js'
import { closed, Id, Time } from '../schema.js'
import { exampleSite, Site, SiteName } from './site.js'

/** The kept versions of a site. */

const Version = Type.Object({
  version: Id('Id of the version'),
  number: Type.Integer({
    minimum: 1,
    description: 'Number among the versions of the site, never used again: 3 for v3',
  }),
  current: Type.Boolean({ description: 'Whether the site serves this version' }),
  files: Type.Integer({ minimum: 0, description: 'Number of files' }),
  size: Type.Integer({ minimum: 0, description: 'Size of all files in bytes' }),
  deployed_at: Time('When it was deployed'),
})

export const versions = operation({
  id: 'sites.versions',
  method: 'GET',
  path: '/v1/sites/versions',
  access: { anyOf: ['sites:read', 'sites:write'] },
  touches: { kind: 'site', access: 'read', by: 'query.name' },
  addition: true,
  summary: 'List the kept versions of a site, newest first',
  query: Type.Object({ name: SiteName }),
  data: Type.Object({ versions: Type.Array(Version) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: {
    query: { name: 'docs' },
    data: {
      versions: [{ version: 8, number: 3, current: true, files: 2, size: 2048, deployed_at: exampleSite.deployed_at }],
    },
  },
})

export const restore = operation({
  id: 'sites.restore',
  method: 'POST',
  path: '/v1/sites/restore',
  access: { anyOf: ['sites:write'] },
  touches: { kind: 'site', access: 'write', by: 'body.name' },
  addition: true,
  summary: 'Serve a kept version of a site from now on',
  body: Type.Object({ name: SiteName, version: Id('Id of the version') }, added(closed)),
  data: Site,
  errors: ['not_found', 'forbidden'],
  example: { body: { name: 'docs', version: 8 }, data: exampleSite },
})
