import { sql } from 'kysely'
import { numberList } from '../../../db/json-list.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { insertRecords } from '../records/insert-store.js'
import { recordColumns } from '../records/presenter.js'
import type { StoredRecord } from '../records/record.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, type ZoneKey } from '../zones/verified-store.js'
import { advanceZone } from '../zones/version-store.js'
import { planImport, sizeOf, type ImportChanges, type ImportOptions } from './import-plan.js'
import type { ReadRecord } from './records.js'

/** Imports of zone files into the database, for the operator. */

/** The computed effect of an import. */
export interface ImportPlan extends ImportChanges {
  readonly zoneId: number
  readonly accountId: number
  readonly zone: string
  /** The zone's serial before the import; once the plan is applied, the new one. */
  readonly serial: number
  readonly before: readonly StoredRecord[]
}

/** Whether an import is a no-op. */
export const changesNothing = ({ created, ttlChanged, deleted }: ImportChanges): boolean =>
  created.length + ttlChanged.length + deleted.length === 0

/** Served by the primary key (zone_id, id). */
const recordsOf = prepared((db, p: { zoneId: number; accountId: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .select(recordColumns)
    .orderBy('id'),
)

/** Served by dns_claim_verified (zone), a partial index that needs the literal status. */
const holderOf = prepared((db, p: { zone: string }) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('account', 'account.id', 'dns_claim.account_id')
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', sql.lit('verified'))
    .select(['account.id', 'account.email']),
)

/**
 * Served by the primary key (zone_id, id). The ids are of records that were read for the account. With a condition on the
 * account, PostgreSQL expects so few rows that it compares each of them with every id.
 */
const removeAll = prepared((db, p: { zoneId: number; ids: string }, dialect) =>
  db.deleteFrom('dns_record').where('zone_id', '=', p.zoneId).where('id', 'in', numberList(p.ids, dialect)),
)

async function plan(
  reader: Reader,
  key: ZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> {
  const { id: zoneId, serial, last_record_id } = await lockVerified(reader, key)
  const { accountId } = key
  const before = await reader.all(recordsOf, { zoneId, accountId })
  return { zoneId, accountId, zone: key.zone, serial, before, ...planImport(before, read, last_record_id, options) }
}

/** Deletes the rows that change and inserts them again, with their ids and times of creation. @returns the plan with the new serial */
function applyPlan(tx: Transaction, plan: ImportPlan): ImportPlan {
  if (changesNothing(plan)) return plan
  const { zoneId, accountId, created, ttlChanged, deleted } = plan
  tx.send(removeAll, { zoneId, ids: JSON.stringify([...deleted, ...ttlChanged].map(({ id }) => id)) })
  insertRecords(
    tx,
    [...ttlChanged, ...created].map((record) => ({ ...record, zone_id: zoneId, account_id: accountId })),
  )
  const growth = sizeOf(created) - sizeOf(deleted)
  return { ...plan, serial: advanceZone(tx, plan, { created: created.length, growth }) }
}

/** The unit `applyImport` as a part of a larger transaction. */
export const importInTransaction = async (
  tx: Transaction,
  key: ZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> => applyPlan(tx, await plan(tx, key, read, options))

const applyImport = unit(import.meta, 'applyImport', zoneLockKey, importInTransaction)

export type ImportStore = ReturnType<typeof importStore>

export const importStore = (db: Database) => ({
  /** The account that has verified the zone. */
  holder: (zone: string) => db.one(holderOf, { zone }),

  /** The computed effect of `apply`. @throws as `apply` */
  plan: (
    account: Pick<Account, 'id'>,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan> => plan(db, { accountId: account.id, zone }, read, options),

  /**
   * Imports all records or none, with one step of the serial.
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `bad_request` with a line for each record that conflicts with another one
   */
  apply: (
    account: Pick<Account, 'id'>,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan> => db.write(applyImport, { accountId: account.id, zone }, read, options),
})
