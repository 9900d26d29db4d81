import { sql } from 'kysely'
import type { Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'

/** What an imported account uses of its limits. The archive counts open uploads and unused contents too, which it does not have. */

/** Served by file_by_account and the primary key of file_part. An empty or a small file has no parts, and counts as one object. */
const countFiles = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into storage_use (account_id, files, shared, bytes, uploads, objects)
      select cast(${p.accountId} as bigint), count(*), count(share_key), cast(coalesce(sum(size), 0) as bigint), 0,
        cast(coalesce(sum(case when parts = 0 then 1 else parts end), 0) as bigint)
      from (select share_key, size, (select count(*) from file_part where file_id = file.id) as parts
        from file where account_id = ${p.accountId}) as stored`.compile(db),
}))

/** Served by site_content_once (account_id, sha256). */
const countSites = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into site_use (account_id, bytes)
      select cast(${p.accountId} as bigint), cast(coalesce(sum(size + coalesce(gzip_size, 0) + coalesce(br_size, 0)), 0) as bigint)
      from site_content where account_id = ${p.accountId}`.compile(db),
}))

/** Served by package_by_account (account_id), and by the indexes of the parents. */
const countPackages = prepared((db, p: { accountId: number }) => ({
  compile: () =>
    sql<never>`insert into package_use (account_id, packages, slugs, artifacts, bytes)
      select cast(${p.accountId} as bigint),
        (select count(*) from package where account_id = ${p.accountId} and deleted_at is null),
        (select count(*) from package where account_id = ${p.accountId}),
        count(*), cast(coalesce(sum(size), 0) as bigint)
      from package_artifact where version_id in (select id from package_version
        where package_id in (select id from package where account_id = ${p.accountId}))`.compile(db),
}))

export function countPackageStorage(tx: Transaction, accountId: number): void {
  tx.send(countPackages, { accountId })
}

export function countStorage(tx: Transaction, accountId: number): void {
  tx.send(countFiles, { accountId })
}

export function countSiteStorage(tx: Transaction, accountId: number): void {
  tx.send(countSites, { accountId })
}
