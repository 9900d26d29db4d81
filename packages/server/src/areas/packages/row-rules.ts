import { artifactNamePattern } from '@svc/contract/limits'
import { badRequest } from '@svc/contract/errors'
import { count, id, nullable, sha256Text, text, time } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { precedenceOf } from './versions/version.js'

const slugMax = 63

const packages: RowRule<'package'> = {
  columns: {
    ...{ id, account_id: id, slug: text(slugMax), name: text(128 * 2), description: text(4096 * 2), versions: count },
    ...{ versions_ever: count, artifacts: count, downloads: count, created_at: time, updated_at: time },
    deleted_at: nullable(time),
  },
  request: ({ slug, name, description }) => ({
    operation: 'packages.publish',
    body: { slug, version: '1.0.0', name, description, artifacts: [{ name: 'a', content: '' }] },
  }),
}

const package_version: RowRule<'package_version'> = {
  columns: {
    ...{ id, package_id: id, version: text(128), precedence: text(128), artifacts: count, downloads: count },
    ...{ published_at: time, deleted_at: nullable(time) },
  },
  request: ({ version }) => ({
    operation: 'packages.publish',
    body: { slug: 'a', version, artifacts: [{ name: 'a', content: '' }] },
  }),
  check: ({ version, precedence }) => {
    const expected = precedenceOf(version)
    if (precedence !== expected) throw badRequest('precedence', `must be ${expected}`)
  },
}

const package_artifact: RowRule<'package_artifact'> = {
  columns: {
    ...{ id, version_id: id, name: text(200, new RegExp(artifactNamePattern)), size: count, sha256: sha256Text },
    ...{ blob_key: text(64), downloads: count },
  },
}

const package_use: RowRule<'package_use'> = {
  columns: { account_id: id, packages: count, slugs: count, artifacts: count, bytes: count },
}

export const packagesRowRules = { package: packages, package_version, package_artifact, package_use }
