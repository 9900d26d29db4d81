import { Type } from 'typebox'
import { Site, siteNamePattern } from '../areas/sites.js'
import { open, operation } from '../operation.js'
import { Id, Time, closed } from '../schema.js'

/** Static sites in the console: their versions. */

const notShown = 'The specification has no versions: the console lists the last five, and restores one.'

const name = Type.String(open(notShown, { pattern: siteNamePattern, description: 'Name of the site' }))

const Version = Type.Object(
  {
    version: Id('Id of the version'),
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
    data: { versions: [{ version: 8, current: true, files: 2, size: 2048, deployed_at: deployed }] },
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
      ...{ id: 5, name: 'docs', url: 'http://docs.localhost:8080/', files: 2, size: 2048 },
      ...{ deployed_at: deployed, created_at: deployed },
    },
  },
})
