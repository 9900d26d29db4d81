import type { Generated } from 'kysely'

/** The tables of packages (see `Tables`). */
export interface PackageTables {
  package: PackageTable
  package_version: PackageVersionTable
  package_artifact: PackageArtifactTable
  package_use: PackageUseTable
  package_slug_retired: PackageSlugRetiredTable
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

/** The slug of a package whose account has been deleted: no account may use it. */
interface PackageSlugRetiredTable {
  slug: string
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
