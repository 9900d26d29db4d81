import { sql } from 'kysely'
import { isInNumbers } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Job } from '../../../shared/job.js'
import { WriteBatch, type Batch } from '../../../shared/write-batch.js'
import type { ServedArtifact } from './artifact-store.js'

/** Downloads of an artifact, with the ids of its version and package. */
interface Downloads {
  readonly packageId: number
  readonly versionId: number
  readonly count: number
}

const sumOf = (a: Downloads, b: Downloads): Downloads => ({ ...a, count: a.count + b.count })

interface GivenCount {
  readonly id: number
  readonly count: number
}

/** The counts of a JSON array of lists of id and count. */
const given = (json: string, dialect: Dialect) => {
  const field = (index: number) =>
    dialect === 'postgres' ? sql`cast(value ->> ${sql.lit(index)} as bigint)` : sql`value ->> ${sql.lit(index)}`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<GivenCount>`(select ${field(0)} as id, ${field(1)} as count from ${rows})`.as<'given'>(sql.ref('given'))
}

/** In one order, so that no two units wait for each other. Every other unit locks one package. */
const lockPackages = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('package')
    .where(isInNumbers('id', p.ids, dialect))
    .select('id')
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** One statement for all rows of a table. */
const addTo = (table: 'package' | 'package_version' | 'package_artifact') =>
  prepared((db, p: { counts: string }, dialect) =>
    db
      .updateTable(table)
      .from(given(p.counts, dialect))
      .set({ downloads: sql<number>`${sql.ref(`${table}.downloads`)} + ${sql.ref('given.count')}` })
      .where(sql<boolean>`${sql.ref(`${table}.id`)} = ${sql.ref('given.id')}`)
      .returning(`${table}.id`),
  )

const addToPackages = addTo('package')
const addToVersions = addTo('package_version')
const addToArtifacts = addTo('package_artifact')

/** The counts as JSON, summed by an id. */
function sumBy(batch: Batch<Downloads>, idOf: (artifactId: number, downloads: Downloads) => number): string {
  const sums = new Map<number, number>()
  for (const [artifactId, downloads] of batch) {
    const id = idOf(artifactId, downloads)
    sums.set(id, (sums.get(id) ?? 0) + downloads.count)
  }
  return JSON.stringify([...sums])
}

const addDownloads = unit(import.meta, 'addDownloads', async (tx, batch: Batch<Downloads>) => {
  const packageIds = new Set(batch.map(([, { packageId }]) => packageId))
  await tx.all(lockPackages, { ids: JSON.stringify([...packageIds]) })
  const counted = await tx.all(addToArtifacts, { counts: sumBy(batch, (id) => id) })
  // Those of deleted artifacts are dropped: their package may have new versions.
  const existing = new Set(counted.map(({ id }) => id))
  const kept = batch.filter(([id]) => existing.has(id))
  tx.send(addToVersions, { counts: sumBy(kept, (_, { versionId }) => versionId) })
  tx.send(addToPackages, { counts: sumBy(kept, (_, { packageId }) => packageId) })
})

export const downloadsNotSaved = 'the download counts of packages could not be saved'

/** Counts downloads of packages of all accounts in memory, and saves them once a second; system store. */
export function downloadCounter(db: Database) {
  const batch = new WriteBatch<Downloads>((counts) => db.write(addDownloads, counts), sumOf)
  const flush = () => batch.flush()
  const job: Job = {
    name: 'packages.downloads',
    everyMs: 1_000,
    runsIn: 'every process',
    failureMessage: downloadsNotSaved,
    run: flush,
  }
  return {
    /** Counts one download of an artifact. */
    count: ({ id, packageId, versionId }: ServedArtifact): void => batch.add(id, { packageId, versionId, count: 1 }),
    /** @throws the error of the database. The counts are kept for the next flush. */
    flush,
    job,
  }
}
