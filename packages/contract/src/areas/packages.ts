import { Type } from 'typebox'
import { artifactNamePattern, semverPattern, slugPattern, versionArtifactsMax } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import { Time, closed } from '../schema.js'

/** Packages, their versions and download counts (specification, section 4.5). */

export const Artifact = Type.Object({
  name: Type.String({ description: 'Last part of the download address' }),
  size: Type.Integer({ minimum: 0, description: 'Bytes' }),
  sha256: Type.String({ description: 'SHA-256 of the contents, in lower-case hexadecimal' }),
  url: Type.String(
    open('With `latest` in place of the version, the address redirects to the highest release that has the artifact.', {
      format: 'uri',
      description: 'Download address',
    }),
  ),
  downloads: Type.Integer({
    minimum: 0,
    description: 'Downloads of the whole artifact in one answer, counted within a second',
  }),
})

export const Version = Type.Object(
  {
    version: Type.String({ description: 'Version number of Semantic Versioning 2.0.0' }),
    published_at: Time('When it was published'),
    downloads: Type.Integer({ minimum: 0, description: 'Downloads of all its artifacts' }),
    artifacts: Type.Array(Artifact),
  },
  open('The fields of a version and of an artifact are not shown.'),
)

export const Package = Type.Object(
  {
    slug: Type.String({ description: 'Name of the package in addresses' }),
    name: Type.String({ description: 'Display name' }),
    description: Type.String({ description: 'Short description; may be empty' }),
    versions: Type.Integer({ minimum: 0, description: 'Number of versions' }),
    downloads: Type.Integer({ minimum: 0, description: 'Downloads of all its artifacts' }),
    created_at: Time('When its first version was published; of a package that was deleted, the first since then'),
    updated_at: Time('When it was last published or edited'),
  },
  open('The fields of a package are not shown beyond its slug, version count and download total.'),
)

const exampleVersion = {
  version: '1.0.0',
  published_at: '2026-11-20T09:30:00.000Z',
  downloads: 3,
  artifacts: [
    {
      name: 'greeter.txt',
      size: 5,
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      url: 'http://content.localhost:8080/p/greeter/1.0.0/greeter.txt',
      downloads: 3,
    },
  ],
}

const examplePackage = {
  slug: 'greeter',
  name: 'Greeter',
  description: '',
  versions: 1,
  downloads: 3,
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}

const body = 'The body of this request is not shown.'
const packageFields = 'The fields of a package are not shown beyond its slug, version count and download total.'

const slug = Type.String({ minLength: 1, description: 'Name of the package in addresses' })
const name = Type.String({ minLength: 1, maxLength: 128, description: 'Display name; the slug by default' })
const description = Type.String({ maxLength: 4096, description: 'Short description' })

export const list = operation({
  id: 'packages.list',
  method: 'GET',
  path: '/v1/packages',
  access: { anyOf: ['packages:read', 'packages:write'] },
  touches: { kind: 'package', access: 'read' },
  summary: 'List packages with version counts and download totals',
  data: Type.Object({ packages: Type.Array(Package, open(`Sorted by slug. ${packageFields}`)) }),
  example: { data: { packages: [examplePackage] } },
})

export const get = operation({
  id: 'packages.get',
  method: 'GET',
  path: '/v1/packages/{slug}',
  access: { anyOf: ['packages:read', 'packages:write'] },
  touches: { kind: 'package', access: 'read', by: 'params.slug' },
  summary: 'Get one package with every version and artifact',
  params: Type.Object({
    slug: Type.String(
      open('The form of a slug is not shown; an unknown one answers 404.', {
        description: 'Name of the package in addresses',
      }),
    ),
  }),
  data: Type.Object({
    package: Package,
    versions: Type.Array(Version, open('Newest first. The fields of a version are not shown.')),
  }),
  errors: ['not_found', 'forbidden'],
  example: { params: { slug: 'greeter' }, data: { package: examplePackage, versions: [exampleVersion] } },
})

export const publish = operation({
  id: 'packages.publish',
  method: 'POST',
  path: '/v1/packages/publish',
  access: { anyOf: ['packages:write'] },
  touches: { kind: 'package', access: 'write', by: 'body.slug' },
  summary: 'Publish a version; creates the package if new',
  description:
    'All artifacts of the version are published together or not at all. They are public: a download needs no token.',
  open: 'A published version never changes: publishing it again answers 400, also if only the build metadata differs, and also after the package was deleted. A slug stays with the account that used it first, also after a deletion: another account gets 403. Artifact names of one version differ in more than case.',
  body: Type.Object(
    {
      slug: Type.String({
        pattern: slugPattern,
        description: 'Name of the package in addresses: a to z, 0 to 9 and inner hyphens',
      }),
      version: Type.String({
        ...byRule({ pattern: semverPattern }),
        maxLength: 128,
        description: 'Version number of Semantic Versioning 2.0.0, such as 1.0.0 or 2.0.0-rc.1, without a v',
      }),
      name: Type.Optional(name),
      description: Type.Optional(description),
      artifacts: Type.Array(
        Type.Object(
          {
            name: Type.String({ pattern: artifactNamePattern, description: 'Last part of the download address' }),
            content: Type.String({ contentEncoding: 'base64', description: 'The bytes in base64' }),
          },
          closed,
        ),
        { minItems: 1, maxItems: versionArtifactsMax, description: 'The files of the version, with different names' },
      ),
    },
    open(body, closed),
  ),
  bytes: { field: 'artifacts', each: { name: 'name', content: 'content' } },
  otherBodies: {
    'multipart/form-data':
      'For forms and `curl -F`: each file part is an artifact under its file name; the other fields as form fields.',
  },
  data: Type.Object({ package: Package, published: Version }),
  errors: ['forbidden'],
  example: {
    body: {
      slug: 'greeter',
      version: '1.0.0',
      name: 'Greeter',
      artifacts: [{ name: 'greeter.txt', content: 'aGVsbG8=' }],
    },
    data: { package: examplePackage, published: exampleVersion },
  },
})

export const update = operation({
  id: 'packages.update',
  method: 'POST',
  path: '/v1/packages/update',
  access: { anyOf: ['packages:write'] },
  touches: { kind: 'package', access: 'write', by: 'body.slug' },
  summary: "Edit a package's details",
  body: Type.Object(
    { slug, name: Type.Optional(name), description: Type.Optional(description) },
    open(`${body} Only supplied fields change.`, closed),
  ),
  data: Type.Object({ package: Package }),
  errors: ['not_found', 'forbidden'],
  example: { body: { slug: 'greeter', name: 'Greeter' }, data: { package: examplePackage } },
})

const remove = operation({
  id: 'packages.delete',
  method: 'POST',
  path: '/v1/packages/delete',
  access: { anyOf: ['packages:write'] },
  touches: { kind: 'package', access: 'write', by: 'body.slug' },
  summary: 'Delete a package, all versions and artifacts',
  open: 'The slug stays with the account, which may publish new versions; a deleted version is never published again.',
  body: Type.Object({ slug }, open(body, closed)),
  data: Type.Object(
    { slug: Type.String({ description: 'Slug of the deleted package' }), deleted: Type.Literal(true) },
    open('The answer is not shown: the slug and `deleted`.'),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { slug: 'greeter' }, data: { slug: 'greeter', deleted: true } },
})

export { remove as delete }
