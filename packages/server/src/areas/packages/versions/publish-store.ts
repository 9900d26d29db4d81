import { badRequest, forbidden } from '@svc/contract/errors'
import { sql } from 'kysely'
import type { Database, Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { BlobKey } from '../../../ports/blobs/port.js'
import { addBlobs } from '../../../ports/blobs/writer-store.js'
import { changedFields } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { detailFields, recordPackageEvent } from '../events.js'
import {
  packageColumns,
  toPackage,
  type PackageDetails,
  type PackageRow,
  type StoredArtifact,
  type StoredPackage,
} from '../package.js'
import { findPackage, lockPackage } from '../package-store.js'
import {
  packageLimitsOf,
  requireArtifacts,
  requirePackage,
  requireRoom,
  requireSlug,
  requireVersion,
  type PackageLimits,
} from '../storage/limits.js'
import { accountLockKey, addUsage, lockUsage, type Usage } from '../storage/usage-store.js'

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
      account_id: p.accountId,
      slug: p.slug,
      name: p.slug,
      description: '',
      versions: 0,
      versions_ever: 0,
      artifacts: 0,
      downloads: 0,
      created_at: p.now,
      updated_at: p.now,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(packageColumns),
)

/** Whether the slug was that of an account that has been deleted. */
const retired = prepared((db, p: { slug: string }) =>
  db.selectFrom('package_slug_retired').where('slug', '=', p.slug).select('slug'),
)

/** A deleted package appears again, with only its new versions. */
const restorePackage = prepared((db, p: { id: number; now: number }) =>
  db
    .updateTable('package')
    .set({ created_at: p.now, deleted_at: null })
    .where('id', '=', p.id)
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
      package_id: p.packageId,
      version: p.version,
      precedence: p.precedence,
      artifacts: p.artifacts,
      downloads: 0,
      published_at: p.now,
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
        name: p.name,
        description: p.description,
        updated_at: p.now,
        versions: row('versions', '+', 1),
        versions_ever: row('versions_ever', '+', 1),
        artifacts: row('artifacts', '+', p.artifacts),
      }))
      .where('id', '=', p.id)
      .returning(packageColumns),
)

/** A package to publish in, with the growth of the account's packages and slugs. */
interface TakenPackage {
  readonly row: PackageRow
  readonly packages: number
  readonly slugs: number
}

interface PackageToTake {
  readonly accountId: number
  readonly slug: string
  readonly usage: Usage
  readonly limits: PackageLimits
  readonly now: number
}

/** Locks the package, and creates or restores it if needed. @throws ApiError `forbidden`; `bad_request` beyond a limit */
async function takePackage(tx: Transaction, wanted: PackageToTake): Promise<TakenPackage> {
  const { accountId, slug, usage, limits, now } = wanted
  const existing = await lockPackage(tx, slug)
  if (existing === undefined) {
    requirePackage(usage, limits)
    requireSlug(usage, limits)
    if ((await tx.one(retired, { slug })) !== undefined) throw forbidden('package')
    const row = await tx.one(insertPackage, { accountId, slug, now })
    // Another account has created it in the meantime.
    if (row === undefined) throw forbidden('package')
    return { row, packages: 1, slugs: 1 }
  }
  if (existing.account_id !== accountId) throw forbidden('package')
  if (existing.deleted_at === null) return { row: existing, packages: 0, slugs: 0 }
  requirePackage(usage, limits)
  return { row: await tx.only(restorePackage, { id: existing.id, now }), packages: 1, slugs: 0 }
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
    actor: Actor,
  ): Promise<StoredPackage> => {
    const usage = await lockUsage(tx, accountId)
    const { row, packages, slugs } = await takePackage(tx, { accountId, slug, usage, limits, now })
    const count = artifacts.length
    const inserted = await tx.one(insertVersion, { packageId: row.id, version, precedence, artifacts: count, now })
    if (inserted === undefined) throw publishedAlready(slug, precedence)
    const bytes = artifacts.reduce((sum, { size }) => sum + size, 0)
    const taken = toPackage(row)
    requireVersion(taken, limits)
    requireArtifacts(usage, taken, count, limits)
    requireRoom(usage, bytes, limits)
    await addBlobs(tx, artifacts)
    const list = artifacts.map(({ name, size, sha256, key }) => [name, size, sha256, key] as const)
    tx.send(insertArtifacts, { versionId: inserted.id, artifacts: JSON.stringify(list) })
    addUsage(tx, accountId, { packages, slugs, artifacts: count, bytes })
    const { name = row.name, description = row.description } = details
    const changed = changedFields(detailFields(row), { name, description })
    recordPackageEvent(tx, {
      accountId,
      at: now,
      action: packages === 0 ? 'version_publish' : 'package_create',
      object: slug,
      actor,
      ...changed,
      after: { ...changed?.after, version, artifacts: count, size: bytes },
    })
    return toPackage(await tx.only(growPackage, { id: row.id, name, description, artifacts: count, now }))
  },
)

/** Final also for equal bytes, and after a deletion: users rely on a version that they have checked, and caches keep it. */
const publishedAlready = (slug: string, version: string) =>
  badRequest(
    'version',
    `${version} of ${slug} was published already. Versions never change, also after a deletion: publish the next version`,
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
  ): Promise<StoredPackage> =>
    db.write(publishVersion, account.id, slug, details, version, packageLimitsOf(account, limits), now, account.actor),
})
