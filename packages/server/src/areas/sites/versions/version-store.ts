import { sql } from 'kysely'
import { ApiError } from '@svc/contract/errors'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { hasDigest } from './content-store.js'
import { accountLockKey, lockUse } from './use-store.js'

/** How long a deploy may take after its archive has been checked, and how long contents without files are kept, in milliseconds. */
export const unusedMs = 30 * 60_000

/** A version before its publication. */
export interface NewVersion {
  readonly files: number
  /** In bytes. */
  readonly size: number
  /** JSON. */
  readonly rules: string
}

export interface VersionFile {
  readonly path: string
  readonly sha256: string
}

const insert = prepared((db, p: NewVersion & { accountId: number; now: number }) =>
  db
    .insertInto('site_version')
    .values({
      account_id: p.accountId,
      site_id: null,
      files: p.files,
      size: p.size,
      rules: p.rules,
      deployed_at: null,
      created_at: p.now,
      number: null,
    })
    .returning('id'),
)

/** Served by the primary key or site_version_by_site (site_id, id desc). */
const unpublished = prepared((db, p: { accountId: number; id: number }) =>
  db
    .selectFrom('site_version')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('site_id', 'is', null)
    .select('id'),
)

/** Files as a table `given`. */
const given = (json: string, dialect: Dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<VersionFile>`(select value ->> 'path' as path, value ->> 'sha256' as sha256 from ${rows})`.as<'given'>(
    sql.ref('given'),
  )
}

/**
 * A look-up for each file, served by site_content_once (account_id, sha256): SQLite could run a join from the other side, and read the
 * list for each content.
 */
const insertFiles = prepared((db, p: { accountId: number; versionId: number; files: string }, dialect) =>
  db
    .insertInto('site_file')
    .columns(['version_id', 'path', 'content_id'])
    .expression((from) =>
      from
        .selectFrom(given(p.files, dialect))
        .select((row) => [
          sql<number>`cast(${p.versionId} as bigint)`.as('version_id'),
          'path',
          row
            .selectFrom('site_content')
            .where('account_id', '=', p.accountId)
            .whereRef('site_content.sha256', '=', 'given.sha256')
            .select('id')
            .as('content_id'),
        ]),
    ),
)

/** Served by site_content_once. */
const markUsed = prepared((db, p: { accountId: number; digests: string }, dialect) =>
  db
    .updateTable('site_content')
    .set({ unused_at: null })
    .where(hasDigest(db, p, dialect))
    .where('unused_at', 'is not', null),
)

/** For a version that the clean-up has removed. */
export const lateDeploy = () =>
  new ApiError(
    'upstream_error',
    'The deploy took too long, and was given up: the site is unchanged. Repeat the request.',
  )

const beginVersion = unit(
  import.meta,
  'beginVersion',
  async (tx, accountId: number, version: NewVersion, now: number) =>
    (await tx.only(insert, { ...version, accountId, now })).id,
)

const addFiles = unit(
  import.meta,
  'addFiles',
  accountLockKey,
  async (tx, accountId: number, versionId: number, files: readonly VersionFile[]) => {
    await lockUse(tx, accountId)
    if ((await tx.one(unpublished, { accountId, id: versionId })) === undefined) throw lateDeploy()
    tx.send(insertFiles, { accountId, versionId, files: JSON.stringify(files) })
    const digests = JSON.stringify(files.map(({ sha256 }) => sha256))
    tx.send(markUsed, { accountId, digests })
  },
)

export type VersionStore = ReturnType<typeof versionStore>

/** Versions that are not published yet: no client sees them. */
export const versionStore = (db: Database) => ({
  /** @returns the id of the version */
  begin: (account: Account, version: NewVersion): Promise<number> =>
    db.write(beginVersion, account.id, version, Date.now()),

  /** Adds files, whose contents are stored. @throws ApiError `upstream_error` for a version that has been removed because it is too old */
  addFiles: (account: Account, versionId: number, files: readonly VersionFile[]): Promise<void> =>
    db.write(addFiles, account.id, versionId, files),
})
