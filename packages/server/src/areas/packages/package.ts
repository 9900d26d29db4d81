/** A package of an account. */
export interface StoredPackage {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Number of versions. */
  readonly versions: number
  /** The same with deleted versions. */
  readonly versionsEver: number
  /** Number of artifacts of all versions. */
  readonly artifacts: number
  readonly downloads: number
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Only supplied details change. */
export interface PackageDetails {
  readonly name?: string | undefined
  readonly description?: string | undefined
}

/** An artifact of a version. */
export interface StoredArtifact {
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly downloads: number
}

export const packageColumns = [
  ...(['id', 'account_id', 'slug', 'name', 'description', 'versions', 'versions_ever'] as const),
  ...(['artifacts', 'downloads', 'created_at', 'updated_at', 'deleted_at'] as const),
] as const

export interface PackageRow extends Omit<StoredPackage, 'versionsEver' | 'createdAt' | 'updatedAt'> {
  readonly account_id: number
  readonly versions_ever: number
  readonly created_at: number
  readonly updated_at: number
  readonly deleted_at: number | null
}

export const toPackage = (row: PackageRow): StoredPackage => {
  const { account_id: _, deleted_at: _deletedAt, versions_ever, created_at, updated_at, ...rest } = row
  return { ...rest, versionsEver: versions_ever, createdAt: created_at, updatedAt: updated_at }
}
