import { notFound } from '@svc/contract/errors'
import { sql } from 'kysely'
import { isInNumbers } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { turns } from '../../../shared/turns.js'
import type { StoredPackage } from '../package.js'
import { sortVersions } from './version.js'

/** How many artifacts are read in one turn of the event loop, beside those of one more version. */
const artifactsInTurn = 200

/** A version without its artifacts. */
interface VersionRow {
  readonly id: number
  readonly version: string
  readonly artifacts: number
  readonly downloads: number
  /** Milliseconds since the epoch. */
  readonly publishedAt: number
}

/** A version with its artifacts as a JSON array. */
export interface ListedVersion extends Omit<VersionRow, 'id' | 'artifacts'> {
  readonly artifacts: string
}

/** Served by package_version_key (package_id, precedence). */
const ofPackage = prepared((db, p: { packageId: number }) =>
  db
    .selectFrom('package_version')
    .where('package_id', '=', p.packageId)
    .where('deleted_at', 'is', null)
    .select(['id', 'version', 'artifacts', 'downloads', 'published_at as publishedAt']),
)

/**
 * The artifacts of each version as JSON objects with the fields of `artifactToJson`, joined with commas. The database writes them, in a
 * third of the time that rows take. No text in them needs escapes. Served by package_artifact_key (version_id, name).
 * @param p.folder the address of the package's downloads, with a slash at the end
 */
const artifactsJson = prepared((db, p: { versionIds: string; folder: string }, dialect) => {
  const url = sql`cast(${p.folder} as text) || package_version.version || '/' || name`
  const artifact = sql`'{"name":"' || name || '","size":' || size || ',"sha256":"' || sha256 || '","url":"' || ${url} ||
    '","downloads":' || package_artifact.downloads || '}'`
  return db
    .selectFrom('package_version')
    .where(isInNumbers('id', p.versionIds, dialect))
    .where('deleted_at', 'is', null)
    .select((version) => [
      'id',
      version
        .selectFrom('package_artifact')
        .whereRef('version_id', '=', 'package_version.id')
        .select(sql<string>`string_agg(${artifact}, ',' order by package_artifact.id)`.as('joined'))
        .as('artifacts'),
    ])
})

/**
 * Reads the versions of a package in batches, newest first. One batch in each turn of the event loop.
 * @param folderOf the address of a package's downloads, with a slash at the end
 */
export function versionReader(db: Database, folderOf: (slug: string) => string) {
  const oneEachTurn = turns()

  /** @throws ApiError `not_found` if the package has been deleted meanwhile */
  async function readBatch(slug: string, batch: readonly VersionRow[]): Promise<ListedVersion[]> {
    const versionIds = JSON.stringify(batch.map(({ id }) => id))
    const rows = await db.all(artifactsJson, { versionIds, folder: folderOf(slug) })
    const byId = new Map(rows.map((row) => [row.id, row.artifacts ?? '']))
    return batch.map(({ id, artifacts: _, ...version }) => {
      const artifacts = byId.get(id)
      if (artifacts === undefined) throw notFound(`package ${slug}`)
      return { ...version, artifacts: `[${artifacts}]` }
    })
  }

  return async function* ({ id, slug }: Pick<StoredPackage, 'id' | 'slug'>): AsyncGenerator<ListedVersion[]> {
    const versions = await oneEachTurn(async () => sortVersions(await db.all(ofPackage, { packageId: id })))
    for (const batch of batchesOf(versions)) yield await oneEachTurn(() => readBatch(slug, batch))
  }
}

/** @returns the versions in their order, in batches of about `artifactsInTurn` artifacts */
function batchesOf(versions: readonly VersionRow[]): VersionRow[][] {
  const batches: VersionRow[][] = []
  let size = Infinity
  for (const version of versions) {
    if (size >= artifactsInTurn) {
      batches.push([])
      size = 0
    }
    batches.at(-1)?.push(version)
    size += version.artifacts
  }
  return batches
}
