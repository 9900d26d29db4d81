import { sql } from 'kysely'
import { oldDays, oldDaysJob } from '../../../db/old-days-store.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { everyDay, type DayRange } from '../../../shared/days.js'
import type { Job } from '../../../shared/job.js'
import { requireOwnFile } from '../files/read-store.js'
import { addCounts, counts, given, noCounts, type CountColumns } from './traffic-counts.js'

/** Requests for shared files by day. */

/** One statement for all files. The statement before it has locked those that exist. */
const addToFiles = prepared((db, p: { batch: string; day: number }, dialect) =>
  db
    .insertInto('file_traffic_day')
    .columns(['file_id', 'day', ...counts])
    .expression((from) =>
      from
        .selectFrom('file')
        .innerJoin(given(p.batch, dialect), 'given.id', 'file.id')
        .select('file.id')
        .select(sql<number>`cast(${p.day} as integer)`.as('day'))
        .select(counts.map((count) => `given.${count}` as const))
        // SQLite would otherwise read the conflict clause as a condition of the join.
        .where(sql<boolean>`true`)
        .orderBy('file.id'),
    )
    .onConflict((conflict) => conflict.columns(['file_id', 'day']).doUpdateSet(addCounts('file_traffic_day'))),
)

/** One statement for all accounts. */
const addToAccounts = prepared((db, p: { batch: string; day: number }, dialect) =>
  db
    .insertInto('account_traffic_day')
    .columns(['account_id', 'day', ...counts])
    .expression((from) =>
      from
        .selectFrom('file')
        .innerJoin(given(p.batch, dialect), 'given.id', 'file.id')
        .select('file.account_id')
        .select(sql<number>`cast(${p.day} as integer)`.as('day'))
        .select(counts.map((count) => sql<number>`cast(sum(${sql.ref(`given.${count}`)}) as bigint)`.as(count)))
        .where(sql<boolean>`true`)
        .groupBy('file.account_id')
        .orderBy('file.account_id'),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'day']).doUpdateSet(addCounts('account_traffic_day'))),
)

/** Adds the counts of files to a day. The caller has locked the files in this transaction. @param batch as `jsonOf` wrote it */
export function addToDay(tx: Transaction, batch: string, day: number): void {
  tx.send(addToFiles, { batch, day })
  tx.send(addToAccounts, { batch, day })
}

/** Served by the primary key. */
const ofFile = prepared((db, p: DayRange & { fileId: number }) =>
  db
    .selectFrom('file_traffic_day')
    .where('file_id', '=', p.fileId)
    .where('day', '>=', p.first)
    .where('day', '<=', p.last)
    .select(['day', ...counts]),
)

/** Served by the primary key. */
const ofAccount = prepared((db, p: DayRange & { accountId: number }) =>
  db
    .selectFrom('account_traffic_day')
    .where('account_id', '=', p.accountId)
    .where('day', '>=', p.first)
    .where('day', '<=', p.last)
    .select(['day', ...counts]),
)

type TrafficOfDay = CountColumns & { readonly day: string }

/** The requests for the shared files of an account by day, the oldest day first, with zeros for days without any. */
export const trafficHistory = (db: Database) => ({
  /** For all files, with those that have been deleted since. */
  ofAll: async ({ id }: Account, days: DayRange): Promise<TrafficOfDay[]> =>
    everyDay(days, await db.all(ofAccount, { accountId: id, ...days }), noCounts),

  /** @throws ApiError `not_found`; `forbidden` for a file of another account */
  async ofFile(account: Account, fileId: number, days: DayRange): Promise<TrafficOfDay[]> {
    await requireOwnFile(db, account.id, fileId)
    return everyDay(days, await db.all(ofFile, { fileId, ...days }), noCounts)
  },
})

const removeOfFiles = oldDays('file_traffic_day', 'file_id')
const removeOfAccounts = oldDays('account_traffic_day', 'account_id')

const removeOldTraffic = unit(
  import.meta,
  'removeOldTraffic',
  async (tx, before: number) => (await removeOfFiles(tx, before)) + (await removeOfAccounts(tx, before)),
)

/** Removes the days that no history shows. */
export const trafficRetentionJob = (db: Database): Job =>
  oldDaysJob(db, removeOldTraffic, {
    name: 'cdn.old-traffic',
    failureMessage: 'old request counts of shared files could not be removed',
  })
