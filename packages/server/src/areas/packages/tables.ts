import { badRequest } from '@svc/contract/errors'
import { artifactNamePattern } from '@svc/contract/limits'
import type { Generated } from 'kysely'
import { count, id, nullable, sha256Text, text, time } from '../../db/columns.js'
import { ofAccount, ofInstallation, ofParent, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { renamedIfTaken } from '../../db/unique-column.js'
import { removePackagesPart } from './storage/account-removal-store.js'
import { countStorage } from './storage/usage-store.js'
import { precedenceOf } from './versions/version.js'

declare module '../../db/tables.js' {
  interface Tables {
    package: PackageTable
    package_version: PackageVersionTable
    package_artifact: PackageArtifactTable
    package_use: PackageUseTable
    package_slug_retired: PackageSlugRetiredTable
  }
}

/** A package of an account. */
interface PackageTable {
  id: Generated<number>
  account_id: number
  slug: string
  name: string
  description: string
  /** Number of versions. */
  versions: number
  /** The same with deleted versions. */
  versions_ever: number
  /** Number of artifacts of all versions. */
  artifacts: number
  downloads: number
  created_at: number
  updated_at: number
  /** A deleted package keeps its slug. It has no versions other than deleted ones. */
  deleted_at: number | null
}

interface PackageVersionTable {
  id: Generated<number>
  package_id: number
  /** As it was published. */
  version: string
  /** The version without build metadata. */
  precedence: string
  /** Number of artifacts. */
  artifacts: number
  downloads: number
  published_at: number
  /** A deleted version has no artifacts, and is never published again. */
  deleted_at: number | null
}

interface PackageArtifactTable {
  id: Generated<number>
  version_id: number
  name: string
  /** In bytes. */
  size: number
  /** Lower-case hexadecimal. */
  sha256: string
  blob_key: string
  downloads: number
}

/** What an account uses of its limits of packages. Rows exist from the first publication. */
interface PackageUseTable {
  account_id: number
  packages: number
  /** Of packages, deleted ones included. */
  slugs: number
  artifacts: number
  /** Of all artifacts. */
  bytes: number
}

/** The slug of a package whose account has been deleted: no account may use it. */
interface PackageSlugRetiredTable {
  slug: string
}

const slugMax = 63

const packages: RowRule<'package'> = {
  columns: {
    id,
    account_id: id,
    slug: text(slugMax),
    name: text(128 * 2),
    description: text(4096 * 2),
    versions: count,
    versions_ever: count,
    artifacts: count,
    downloads: count,
    created_at: time,
    updated_at: time,
    deleted_at: nullable(time),
  },
  request: ({ slug, name, description }) => ({
    operation: 'packages.publish',
    body: { slug, version: '1.0.0', name, description, artifacts: [{ name: 'a', content: '' }] },
  }),
}

const package_version: RowRule<'package_version'> = {
  columns: {
    id,
    package_id: id,
    version: text(128),
    precedence: text(128),
    artifacts: count,
    downloads: count,
    published_at: time,
    deleted_at: nullable(time),
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
    id,
    version_id: id,
    name: text(200, new RegExp(artifactNamePattern)),
    size: count,
    sha256: sha256Text,
    blob_key: text(64),
    downloads: count,
  },
}

const package_use: RowRule<'package_use'> = {
  columns: { account_id: id, packages: count, slugs: count, artifacts: count, bytes: count },
}

export const packagesTables = {
  tables: {
    package: {
      ...ofAccount,
      hasGeneratedId: true,
      rule: packages,
      unique: { ...renamedIfTaken('package', 'slug'), tables: ['package', 'package_slug_retired'] },
    },
    package_version: { ...ofParent('package_id', 'package'), hasGeneratedId: true, rule: package_version },
    package_artifact: {
      ...ofParent('version_id', 'package_version'),
      references: { version_id: 'package_version', blob_key: 'blob' },
      hasGeneratedId: true,
      rule: package_artifact,
    },
    package_use: { ...ofAccount, rule: package_use, counts: { table: 'package', query: countStorage } },
    package_slug_retired: ofInstallation('of deleted accounts'),
  },
  removePart: removePackagesPart,
} satisfies AreaTables
