import { slugPattern } from '@svc/contract/limits'
import type { Database, Reader, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import type { BlobKey } from '../../ports/blobs/port.js'
import { deleteBlobs } from '../../ports/blobs/writer-store.js'
import { changedFields } from '../../journal/event-store.js'
import type { Account } from '../../shared/account.js'
import type { Actor } from '../../shared/actor.js'
import { quoted } from '../../shared/quoted.js'
import { requireOwner } from '../../shared/require-owner.js'
import { detailFields, recordPackageEvent } from './events.js'
import { packageColumns, toPackage, type PackageDetails, type PackageRow, type StoredPackage } from './package.js'
import type { ListedPackage } from './presenter.js'
import { accountLockKey, addUsage, lockUsage } from './storage/usage-store.js'

/** Served by the unique index on slug. */
const bySlug = prepared((db, p: { slug: string }) =>
  db.selectFrom('package').where('slug', '=', p.slug).select(packageColumns),
)

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedBySlug = prepared((db, p: { slug: string }, dialect) =>
  db
    .selectFrom('package')
    .where('slug', '=', p.slug)
    .select(packageColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const slugs = new RegExp(slugPattern)

/** A package of any account, also a deleted one. The caller compares the account. */
export const findPackage = async (reader: Reader, slug: string): Promise<PackageRow | undefined> =>
  // PostgreSQL would refuse some other texts, such as a NUL, with an error.
  slugs.test(slug) ? reader.one(bySlug, { slug }) : undefined

/** The same, locked until the transaction ends. The caller has locked what its account uses (`usage-store.ts`). */
export const lockPackage = (tx: Transaction, slug: string): Promise<PackageRow | undefined> =>
  tx.one(lockedBySlug, { slug })

function own(accountId: number, slug: string, row: PackageRow | undefined): StoredPackage {
  const existing = row?.deleted_at === null ? row : undefined
  requireOwner(existing, accountId, 'package', quoted(slug))
  return toPackage(existing)
}

/** Only the columns that are shown. Served by package_by_account (account_id, slug), which has no deleted packages. */
const page = prepared((db, p: { accountId: number; after: string; limit: number }) =>
  db
    .selectFrom('package')
    .where('account_id', '=', p.accountId)
    .where('deleted_at', 'is', null)
    .where('slug', '>', p.after)
    .select([
      'slug',
      'name',
      'description',
      'versions',
      'downloads',
      'created_at as createdAt',
      'updated_at as updatedAt',
    ])
    .orderBy('slug')
    .limit(p.limit),
)

const update = prepared((db, p: { id: number; name: string; description: string; now: number }) =>
  db
    .updateTable('package')
    .set({ name: p.name, description: p.description, updated_at: p.now })
    .where('id', '=', p.id)
    .returning(packageColumns),
)

const changeDetails = unit(
  import.meta,
  'changeDetails',
  async (tx, accountId: number, slug: string, details: PackageDetails, now: number, actor: Actor) => {
    const found = own(accountId, slug, await lockPackage(tx, slug))
    const { name = found.name, description = found.description } = details
    if (name === found.name && description === found.description) return found
    const changed = changedFields(detailFields(found), { name, description })
    recordPackageEvent(tx, { accountId, at: now, action: 'package_change', object: slug, actor, ...changed })
    return toPackage(await tx.only(update, { id: found.id, name, description, now }))
  },
)

/** Served by package_version_key (package_id, precedence) and package_artifact_key (version_id, name). */
const removeArtifacts = prepared((db, p: { packageId: number }) =>
  db
    .deleteFrom('package_artifact')
    .where('version_id', 'in', (versions) =>
      versions.selectFrom('package_version').where('package_id', '=', p.packageId).select('id'),
    )
    .returning(['blob_key', 'size']),
)

/** Served by package_version_key (package_id, precedence). */
const deleteVersions = prepared((db, p: { packageId: number; now: number }) =>
  db
    .updateTable('package_version')
    .set({ artifacts: 0, downloads: 0, deleted_at: p.now })
    .where('package_id', '=', p.packageId)
    .where('deleted_at', 'is', null),
)

const markDeleted = prepared((db, p: { id: number; now: number }) =>
  db
    .updateTable('package')
    .set((row) => ({
      name: row.ref('slug'),
      description: '',
      versions: 0,
      artifacts: 0,
      downloads: 0,
      deleted_at: p.now,
    }))
    .where('id', '=', p.id),
)

const removePackage = unit(
  import.meta,
  'removePackage',
  accountLockKey,
  async (tx, accountId: number, slug: string, now: number, actor: Actor): Promise<readonly BlobKey[]> => {
    await lockUsage(tx, accountId)
    const found = own(accountId, slug, await lockPackage(tx, slug))
    const { id } = found
    const artifacts = await tx.all(removeArtifacts, { packageId: id })
    const keys = artifacts.map(({ blob_key }) => blob_key)
    tx.send(deleteVersions, { packageId: id, now })
    tx.send(markDeleted, { id, now })
    deleteBlobs(tx, keys)
    const bytes = artifacts.reduce((sum, { size }) => sum + size, 0)
    addUsage(tx, accountId, { packages: -1, slugs: 0, artifacts: -artifacts.length, bytes: -bytes })
    const before = { ...detailFields(found), versions: found.versions, artifacts: artifacts.length, size: bytes }
    recordPackageEvent(tx, { accountId, at: now, action: 'package_delete', object: slug, actor, before })
    return keys
  },
)

export type PackageStore = ReturnType<typeof packageStore>

/** Packages of an account. */
export const packageStore = (db: Database) => ({
  /** @throws ApiError `not_found`; `forbidden` for a package of another account */
  get: async (account: Account, slug: string): Promise<StoredPackage> =>
    own(account.id, slug, await findPackage(db, slug)),

  /** A page of the packages after a slug, in the order of their slugs. */
  page: (account: Account, after: string, limit: number): Promise<ListedPackage[]> =>
    db.all(page, { accountId: account.id, after, limit }),

  /** @throws ApiError `not_found`; `forbidden` for a package of another account */
  change: (account: Account, slug: string, details: PackageDetails): Promise<StoredPackage> =>
    db.write(changeDetails, account.id, slug, details, Date.now(), account.actor),

  /**
   * Deletes a package with its versions and artifacts. The account keeps the slug, and the versions stay used.
   * @returns the objects that held its bytes: the caller removes them
   * @throws ApiError `not_found`; `forbidden` for a package of another account
   */
  remove: (account: Account, slug: string): Promise<readonly BlobKey[]> =>
    db.write(removePackage, account.id, slug, Date.now(), account.actor),
})
