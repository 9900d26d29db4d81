/** A package of an account. */
export interface StoredPackage {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Number of versions. */
  readonly versions: number
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
  ...(['id', 'account_id', 'slug', 'name', 'description', 'versions', 'artifacts', 'downloads'] as const),
  ...(['created_at', 'updated_at'] as const),
] as const

export interface PackageRow extends Omit<StoredPackage, 'createdAt' | 'updatedAt'> {
  readonly account_id: number
  readonly created_at: number
  readonly updated_at: number
}

export const toPackage = ({ account_id: _, created_at, updated_at, ...rest }: PackageRow): StoredPackage => ({
  ...rest,
  ...{ createdAt: created_at, updatedAt: updated_at },
})
