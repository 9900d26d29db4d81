import { notFound } from '@svc/contract/errors'
import { groupBy } from '@svc/contract/group-by'
import { numberList } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { turns } from '../../../shared/turns.js'
import type { StoredArtifact, StoredPackage } from '../package.js'
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

export interface StoredVersion extends Omit<VersionRow, 'id' | 'artifacts'> {
  readonly artifacts: readonly StoredArtifact[]
}

/** Served by package_version_key (package_id, precedence). */
const ofPackage = prepared((db, p: { packageId: number }) =>
  db
    .selectFrom('package_version')
    .where('package_id', '=', p.packageId)
    .where('deleted_at', 'is', null)
    .select(['id', 'version', 'artifacts', 'downloads', 'published_at as publishedAt']),
)

/** Served by package_artifact_key (version_id, name). */
const ofVersions = prepared((db, p: { versionIds: string }, dialect) =>
  db
    .selectFrom('package_artifact')
    .where('version_id', 'in', numberList(p.versionIds, dialect))
    .select(['version_id as versionId', 'name', 'size', 'sha256', 'downloads'])
    .orderBy('id'),
)

/** The versions of a package in batches, newest first. One batch in each turn of the event loop. */
export function versionReader(db: Database) {
  const oneEachTurn = turns()

  /** @throws ApiError `not_found` if the package has been deleted meanwhile */
  async function readBatch(slug: string, batch: readonly VersionRow[]): Promise<StoredVersion[]> {
    const rows = await db.all(ofVersions, { versionIds: JSON.stringify(batch.map(({ id }) => id)) })
    const byVersion = groupBy(rows, ({ versionId }) => versionId)
    return batch.map(({ id, artifacts: count, ...version }) => {
      const artifacts = byVersion.get(id) ?? []
      if (artifacts.length < count) throw notFound(`package ${slug}`)
      return { ...version, artifacts }
    })
  }

  return async function* ({ id, slug }: Pick<StoredPackage, 'id' | 'slug'>): AsyncGenerator<StoredVersion[]> {
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
