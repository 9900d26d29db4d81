import { badRequest, forbidden } from '@svc/contract/errors'
import { sql } from 'kysely'
import type { Database, Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { addBlobs } from '../../../ports/blobs/writer-store.js'
import type { Account } from '../../../shared/account.js'
import {
  packageColumns,
  toPackage,
  type PackageDetails,
  type PackageRow,
  type StoredArtifact,
  type StoredPackage,
} from '../package.js'
import { findPackage, lockPackage } from '../package-store.js'
import { requireArtifacts, requirePackage, requireRoom, requireVersion, type PackageLimits } from '../storage/limits.js'
import { accountLockKey, addUsage, lockUsage } from '../storage/usage-store.js'

/** Publishes versions. */

/** An artifact whose object is stored. */
interface NewArtifact extends Omit<StoredArtifact, 'downloads'> {
  readonly key: BlobKey
}

export interface NewVersion {
  readonly version: string
  /** The version without build metadata. */
  readonly precedence: string
  readonly artifacts: readonly NewArtifact[]
}

const insertPackage = prepared((db, p: { accountId: number; slug: string; now: number }) =>
  db
    .insertInto('package')
    .values({
      ...{ account_id: p.accountId, slug: p.slug, name: p.slug, description: '' },
      ...{ versions: 0, artifacts: 0, downloads: 0, created_at: p.now, updated_at: p.now },
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(packageColumns),
)

interface VersionValues {
  readonly packageId: number
  readonly version: string
  readonly precedence: string
  readonly artifacts: number
  readonly now: number
}

const insertVersion = prepared((db, p: VersionValues) =>
  db
    .insertInto('package_version')
    .values({
      ...{ package_id: p.packageId, version: p.version, precedence: p.precedence },
      ...{ artifacts: p.artifacts, downloads: 0, published_at: p.now },
    })
    .onConflict((conflict) => conflict.columns(['package_id', 'precedence']).doNothing())
    .returning('id'),
)

interface GivenArtifact {
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly key: string
}

/** The artifacts of a JSON array of lists, in their order. */
const given = (json: string, dialect: Dialect) => {
  const size = dialect === 'postgres' ? sql`cast(value ->> 1 as bigint)` : sql`value ->> 1`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  const fields = sql`value ->> 0 as name, ${size} as size, value ->> 2 as sha256, value ->> 3 as key`
  return sql<GivenArtifact>`(select ${fields} from ${rows})`.as<'given'>(sql.ref('given'))
}

const insertArtifacts = prepared((db, p: { versionId: number; artifacts: string }, dialect) =>
  db
    .insertInto('package_artifact')
    .columns(['version_id', 'name', 'size', 'sha256', 'blob_key', 'downloads'])
    .expression((from) =>
      from
        .selectFrom(given(p.artifacts, dialect))
        .select([
          sql<number>`cast(${p.versionId} as bigint)`.as('version_id'),
          ...(['given.name', 'given.size', 'given.sha256', 'given.key'] as const),
          sql<number>`0`.as('downloads'),
        ]),
    ),
)

const growPackage = prepared(
  (db, p: { id: number; name: string; description: string; artifacts: number; now: number }) =>
    db
      .updateTable('package')
      .set((row) => ({
        ...{ name: p.name, description: p.description, updated_at: p.now },
        versions: row('versions', '+', 1),
        artifacts: row('artifacts', '+', p.artifacts),
      }))
      .where('id', '=', p.id)
      .returning(packageColumns),
)

/** @returns the package, locked, and whether it is new @throws ApiError `forbidden`; `bad_request` beyond the limit */
async function takePackage(
  tx: Transaction,
  accountId: number,
  slug: string,
  create: () => Promise<PackageRow | undefined>,
): Promise<{ readonly row: PackageRow; readonly isNew: boolean }> {
  const existing = await lockPackage(tx, slug)
  const created = existing ? undefined : await create()
  // Another account has created it in the meantime.
  const row = existing ?? created ?? (await lockPackage(tx, slug))
  if (row?.account_id !== accountId) throw forbidden('package')
  return { row, isNew: created !== undefined }
}

const publishVersion = unit(
  import.meta,
  'publishVersion',
  accountLockKey,
  async (
    tx,
    accountId: number,
    slug: string,
    details: PackageDetails,
    { version, precedence, artifacts }: NewVersion,
    limits: PackageLimits,
    now: number,
  ): Promise<StoredPackage> => {
    const usage = await lockUsage(tx, accountId)
    const { row, isNew } = await takePackage(tx, accountId, slug, () => {
      requirePackage(usage, limits)
      return tx.one(insertPackage, { accountId, slug, now })
    })
    const count = artifacts.length
    const inserted = await tx.one(insertVersion, { packageId: row.id, version, precedence, artifacts: count, now })
    if (inserted === undefined) throw publishedAlready(slug, precedence)
    const bytes = artifacts.reduce((sum, { size }) => sum + size, 0)
    requireVersion(row, limits)
    requireArtifacts(usage, row, count, limits)
    requireRoom(usage, bytes, limits)
    await addBlobs(tx, artifacts)
    const list = artifacts.map(({ name, size, sha256, key }) => [name, size, sha256, key] as const)
    await tx.run(insertArtifacts, { versionId: inserted.id, artifacts: JSON.stringify(list) })
    await addUsage(tx, accountId, { packages: isNew ? 1 : 0, artifacts: count, bytes })
    const { name = row.name, description = row.description } = details
    return toPackage(await tx.only(growPackage, { id: row.id, name, description, artifacts: count, now }))
  },
)

/** Final also for equal bytes: users rely on a version that they have checked. */
const publishedAlready = (slug: string, version: string) =>
  badRequest(
    'version',
    `${version} of ${slug} is published already. A published version never changes: publish the next version`,
  )

const hasVersion = prepared((db, p: { packageId: number; precedence: string }) =>
  db
    .selectFrom('package_version')
    .where('package_id', '=', p.packageId)
    .where('precedence', '=', p.precedence)
    .select('id'),
)

export const publishStore = (db: Database, limits: PackageLimits) => ({
  /**
   * Checks that a version may be published, before its bytes are read.
   * @throws ApiError `forbidden` for a package of another account; `bad_request` for a published version
   */
  async check(account: Account, slug: string, precedence: string | undefined): Promise<void> {
    const found = await findPackage(db, slug)
    if (found === undefined) return
    if (found.account_id !== account.id) throw forbidden('package')
    if (precedence !== undefined && (await db.one(hasVersion, { packageId: found.id, precedence })) !== undefined)
      throw publishedAlready(slug, precedence)
  },

  /**
   * Publishes a version with all its artifacts. The first version creates the package.
   * @throws ApiError `forbidden` for a package of another account; `bad_request` for a published version, and beyond a limit
   */
  publish: (
    account: Account,
    slug: string,
    details: PackageDetails,
    version: NewVersion,
    now: number,
  ): Promise<StoredPackage> => db.write(publishVersion, account.id, slug, details, version, limits, now),
})
