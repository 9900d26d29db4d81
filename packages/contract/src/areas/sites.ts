import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed } from '../schema.js'
import { exampleSite, notShown, Site, siteNamePattern } from './site.js'

/** Static sites, deployed as a zip (specification, section 4.5). */

export * from './site-versions.js'
export * from './site-domains.js'

const name = {
  pattern: siteNamePattern,
  description: 'First label of the host `<name>.<sites domain>`: a to z, 0 to 9 and inner hyphens',
}

/** One empty file, `index.html`, as a zip. */
const exampleArchive =
  'UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAAKAAAAaW5kZXguaHRtbFBLAQIUABQAAAAAAAAAIQAAAAAAAAAAAAAAAAAKAAAAAAAAAAAAAAAAAAAAAABpbmRleC5odG1sUEsFBgAAAAABAAEAOAAAACgAAAAAAA=='

export const list = operation({
  id: 'sites.list',
  method: 'GET',
  path: '/v1/sites',
  access: { anyOf: ['sites:read', 'sites:write'] },
  touches: { kind: 'site', access: 'read' },
  summary: 'List static sites, most recently deployed first',
  data: Type.Object({ sites: Type.Array(Site, open(notShown)) }),
  example: { data: { sites: [exampleSite] } },
})

export const deploy = operation({
  id: 'sites.deploy',
  method: 'POST',
  path: '/v1/sites/deploy',
  access: { anyOf: ['sites:write'] },
  touches: { kind: 'site', access: 'write', by: 'body.name' },
  summary: 'Deploy a zip as a site',
  description: 'The old version is served until the new one is complete. If the deployment fails, nothing changes.',
  open: 'A name belongs to the account that used it first. If all files are in one folder that has an index.html, the folder is left out of their paths.',
  body: Type.Object(
    { name: Type.String(name), archive: Type.String({ contentEncoding: 'base64', description: 'The zip in base64' }) },
    open('The body of this request is not shown.', closed),
  ),
  bytes: { field: 'archive' },
  otherBodies: {
    'application/zip': 'For `curl --data-binary` and scripts: the zip itself, with `name` in the query.',
    'multipart/form-data': 'For forms and `curl -F`: the zip as one file part, and `name` as a form field.',
  },
  data: Type.Object(
    {
      ...Site.properties,
      version_number: Type.Integer({
        minimum: 1,
        description: 'Number among the versions of the site: 3 for its third deploy',
      }),
      skipped: Type.Array(Type.String(), {
        maxItems: 100,
        description:
          'Hidden files and folders of the archive, such as `.env` and `.git/`, and `__MACOSX/`: they are not published. At most 100 are named',
      }),
    },
    open(`${notShown} Hidden files, except \`.well-known\`, are skipped and named.`),
  ),
  errors: ['forbidden', 'upstream_error'],
  example: {
    body: { name: 'docs', archive: exampleArchive },
    data: { ...exampleSite, version_number: 1, skipped: [] },
  },
})

const remove = operation({
  id: 'sites.delete',
  method: 'POST',
  path: '/v1/sites/delete',
  access: { anyOf: ['sites:write'] },
  touches: { kind: 'site', access: 'write', by: 'body.name' },
  summary: 'Delete a site and its files',
  body: Type.Object(
    { name: Type.String({ minLength: 1, description: 'Name of the site' }) },
    open('The body of this request is not shown.', closed),
  ),
  data: Type.Object(
    { name: Type.String({ description: 'Name of the deleted site' }), deleted: Type.Literal(true) },
    open('The answer is not shown: the name and `deleted`.'),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { name: 'docs' }, data: { name: 'docs', deleted: true } },
})

export { remove as delete }
