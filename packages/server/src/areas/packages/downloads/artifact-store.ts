import type { Database } from '../../../db/port.js'
import { isServed } from '../../../db/served-accounts.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobKey } from '../../../ports/blobs/port.js'

/** The address of an artifact. */
export interface ArtifactPath {
  readonly slug: string
  readonly version: string
  readonly name: string
}

/** An artifact for its download. It never changes; it can only be deleted. */
export interface ServedArtifact {
  readonly id: number
  readonly versionId: number
  readonly packageId: number
  /** In bytes. */
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly key: BlobKey
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
}

/** Served by the unique index on slug, package_version_key and package_artifact_key. */
const byPath = prepared((db, p: ArtifactPath & { precedence: string }) =>
  db
    .selectFrom('package')
    .innerJoin('package_version', 'package_version.package_id', 'package.id')
    .innerJoin('package_artifact', 'package_artifact.version_id', 'package_version.id')
    .where('package.slug', '=', p.slug)
    .where('package_version.precedence', '=', p.precedence)
    .where('package_version.version', '=', p.version)
    .where('package_artifact.name', '=', p.name)
    .where(isServed('package.account_id'))
    .select(['package_artifact.id', 'package_version.id as versionId', 'package.id as packageId'])
    .select(['package_artifact.size', 'package_artifact.sha256', 'package_artifact.blob_key as key'])
    .select('package_version.published_at as publishedAt'),
)

/** Served by the same indexes. Only the version of a prerelease has a hyphen, apart from build metadata. */
const releases = prepared((db, p: { slug: string; name: string }) =>
  db
    .selectFrom('package')
    .innerJoin('package_version', 'package_version.package_id', 'package.id')
    .innerJoin('package_artifact', 'package_artifact.version_id', 'package_version.id')
    .where('package.slug', '=', p.slug)
    .where('package_version.precedence', 'not like', '%-%')
    .where('package_artifact.name', '=', p.name)
    .where(isServed('package.account_id'))
    .select('package_version.version'),
)

const allReleases = prepared((db, p: { slug: string }) =>
  db
    .selectFrom('package')
    .innerJoin('package_version', 'package_version.package_id', 'package.id')
    .where('package.slug', '=', p.slug)
    .where('package_version.deleted_at', 'is', null)
    .where('package_version.precedence', 'not like', '%-%')
    .select(['package_version.id', 'package_version.version']),
)

/** Two say that there are several. */
const names = prepared((db, p: { versionId: number }) =>
  db.selectFrom('package_artifact').where('version_id', '=', p.versionId).select('name').limit(2),
)

/** A version without build metadata. Its form is not checked. */
const precedenceOf = (version: string): string => version.split('+', 1)[0] ?? ''

/** Served by the primary keys. */
const servedById = prepared((db, p: { id: number }) =>
  db
    .selectFrom('package_artifact')
    .innerJoin('package_version', 'package_version.id', 'package_artifact.version_id')
    .innerJoin('package', 'package.id', 'package_version.package_id')
    .where('package_artifact.id', '=', p.id)
    .where(isServed('package.account_id'))
    .select('package_artifact.id'),
)

export type ArtifactStore = ReturnType<typeof artifactStore>

/** The artifacts of all accounts for their downloads, which are public: system store. */
export const artifactStore = (db: Database) => ({
  /** @returns undefined for an address without an artifact */
  find: (path: ArtifactPath): Promise<ServedArtifact | undefined> =>
    db.one(byPath, { ...path, precedence: precedenceOf(path.version) }),

  /** The versions of a package, other than prereleases, that have an artifact of a name. */
  releasesWith: (slug: string, name: string): Promise<{ readonly version: string }[]> =>
    db.all(releases, { slug, name }),

  /** The versions of a package other than prereleases. */
  releases: (slug: string): Promise<{ readonly id: number; readonly version: string }[]> =>
    db.all(allReleases, { slug }),

  /** The name of the artifact of a version that has only one. @returns undefined for several */
  onlyName: async (versionId: number): Promise<string | undefined> => {
    const [only, ...others] = await db.all(names, { versionId })
    return others.length === 0 ? only?.name : undefined
  },

  /** Whether an artifact is served: it has not been deleted. Ids are never used again. */
  exists: async (id: number): Promise<boolean> => (await db.one(servedById, { id })) !== undefined,
})
