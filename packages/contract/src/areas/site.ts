import { Type } from 'typebox'
import { open } from '../operation.js'
import { Id, Time } from '../schema.js'

/** Schemas of a static site. */

/** The name is a label of the site's host name (RFC 1123, section 2.1), in lower case. */
export const siteNamePattern = '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'

export const notShown = 'The fields of a site are not shown.'
/** The name of an existing site. */
export const SiteName = Type.String({ pattern: siteNamePattern, description: 'Name of the site' })

export const Site = Type.Object(
  {
    id: Id('Id of the site'),
    name: Type.String({ description: 'Name of the site and first label of its host' }),
    url: Type.String({ format: 'uri', description: 'Address of the site' }),
    files: Type.Integer({ minimum: 0, description: 'Number of files' }),
    size: Type.Integer({ minimum: 0, description: 'Size of all files in bytes' }),
    deployed_at: Time('When it was last deployed'),
    created_at: Time('When it was first deployed'),
  },
  open(notShown),
)

export const exampleSite = {
  id: 5,
  name: 'docs',
  url: 'http://docs.localhost:8080/',
  files: 2,
  size: 2048,
  deployed_at: '2026-11-20T09:30:00.000Z',
  created_at: '2026-11-20T09:30:00.000Z',
}
