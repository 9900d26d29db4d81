import type { ExpressionBuilder } from 'kysely'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, requireVerified, type ZoneKey } from '../zones/verified-store.js'
import { advanceZone } from '../zones/version-store.js'
import { mergeRecord } from './check.js'
import { recordLists } from './list-store.js'
import {
  checkBytes,
  checkCount,
  planCreate,
  planDelete,
  planUpdate,
  type PlannedZone,
  type RecordPlan,
  type ZoneCap,
} from './plan.js'
import { recordColumns } from './presenter.js'
import { recordNotFound, type RecordChange, type StoredRecord } from './record.js'

/** Records of verified zones: reads, and the unit that applies a change. */

/** A record of a verified zone. Subqueries, because joins take SQLite three times as long. */
const one = prepared((db, p: ZoneKey & { id: number }) =>
  db
    .selectFrom('dns_record')
    .where('id', '=', p.id)
    .where('dns_record.account_id', '=', p.accountId)
    .where('zone_id', '=', (of) =>
      of
        .selectFrom('dns_zone')
        .where('dns_zone.name', '=', (zone) =>
          zone
            .selectFrom('dns_claim')
            .where('account_id', '=', p.accountId)
            .where('dns_claim.zone', '=', p.zone)
            .where('status', '=', 'verified')
            .select('dns_claim.zone'),
        )
        .select('dns_zone.id'),
    )
    .select(recordColumns),
)

interface ZoneOfAccount {
  readonly zoneId: number
  readonly accountId: number
}

type RecordExpression = ExpressionBuilder<Tables, 'dns_record'>

/**
 * The condition that a record is at a host: ids from dns_record_by_host (zone_id, host), rows by the primary key. With the host
 * as a plain condition, SQLite would read the whole zone.
 */
const isAtHost = (is: RecordExpression, p: ZoneOfAccount & { host: string }) =>
  is.and([
    is('zone_id', '=', p.zoneId),
    is('id', 'in', (of) =>
      of
        .selectFrom('dns_record as there')
        .where('zone_id', '=', p.zoneId)
        .where('account_id', '=', p.accountId)
        .where('host', '=', p.host)
        .select('there.id'),
    ),
  ])

const atHost = prepared((db, p: ZoneOfAccount & { host: string }) =>
  db
    .selectFrom('dns_record')
    .where((is) => isAtHost(is, p))
    .select(recordColumns)
    .orderBy('id'),
)

/** Served by the primary key (zone_id, id), like the next query. */
const byId = prepared((db, p: ZoneOfAccount & { id: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('id', '=', p.id)
    .select(recordColumns),
)

const count = prepared((db, p: ZoneOfAccount) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .select((of) => of.fn.countAll<number>().as('records')),
)

type Row = StoredRecord & ZoneOfAccount

const insert = prepared((db, p: Row) =>
  db.insertInto('dns_record').values({
    zone_id: p.zoneId,
    account_id: p.accountId,
    id: p.id,
    type: p.type,
    host: p.host,
    value: p.value,
    ttl: p.ttl,
    priority: p.priority,
    created_at: p.created_at,
    updated_at: p.updated_at,
  }),
)

const update = prepared((db, p: Row) =>
  db
    .updateTable('dns_record')
    .set({ host: p.host, value: p.value, ttl: p.ttl, priority: p.priority, updated_at: p.updated_at })
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('id', '=', p.id),
)

/** Gives the ttl of a record to the others of its RRset. */
const changeTtl = prepared((db, p: Row) =>
  db
    .updateTable('dns_record')
    .set({ ttl: p.ttl, updated_at: p.updated_at })
    .where((is) => isAtHost(is, p))
    .where('type', '=', p.type)
    .where('ttl', '!=', p.ttl),
)

const remove = prepared((db, p: Row) =>
  db
    .deleteFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('id', '=', p.id),
)

/** Reads the rows that a change depends on, and plans it. */
async function planInZone(reader: Reader, zone: PlannedZone, change: RecordChange, now: string): Promise<RecordPlan> {
  const { accountId } = zone
  const recordsAt = (host: string) => reader.all(atHost, { zoneId: zone.id, accountId, host })
  if (change.kind === 'create') {
    const { record } = change
    return planCreate(zone, await recordsAt(record.host), record, now)
  }
  const current = await reader.one(byId, { zoneId: zone.id, accountId, id: change.id })
  if (current === undefined) throw recordNotFound()
  if (change.kind === 'delete') return planDelete(zone, await recordsAt(current.host), current)
  const merged = mergeRecord(zone.zone, current, change.changes)
  const rows = await recordsAt(merged.host)
  const left = current.host === merged.host ? [] : await recordsAt(current.host)
  return planUpdate(zone, [...rows, ...left], current, merged, now)
}

/**
 * Plans a change of a verified zone.
 * @throws ApiError `forbidden_zone`; `not_found`; `bad_request` for a record that conflicts with another one, or a zone
 *   beyond its cap
 */
async function planChange(
  reader: Reader,
  key: ZoneKey,
  change: RecordChange,
  cap: ZoneCap,
  now: string,
): Promise<RecordPlan> {
  const zone = { ...key, ...(await lockVerified(reader, key)) }
  const plan = await planInZone(reader, zone, change, now)
  // Ids only grow: while the last id is below the cap, so is the number of records, and no count is needed.
  if (plan.step === 'insert' && zone.last_record_id >= cap.recordsMax) {
    const counted = await reader.one(count, { zoneId: zone.id, accountId: zone.accountId })
    checkCount(counted?.records ?? 0, cap)
  }
  checkBytes(zone, plan, cap)
  return plan
}

/** @returns the plan with the new serial */
async function applyPlan(tx: Transaction, plan: RecordPlan): Promise<RecordPlan> {
  const { zoneId, accountId, step, record, growth } = plan
  if (step === 'none') return plan
  const row = { ...record, zoneId, accountId }
  if (step === 'insert') await tx.run(insert, row)
  if (step === 'update') await tx.run(update, row)
  if (step === 'delete') await tx.run(remove, row)
  if (plan.changesTtl) await tx.run(changeTtl, row)
  return { ...plan, serial: await advanceZone(tx, plan, { created: step === 'insert' ? 1 : 0, growth }) }
}

/** Plans a change and applies it. @returns the plan with the new serial @throws as `planChange` */
const applyChange = unit(
  import.meta,
  'applyChange',
  zoneLockKey,
  async (tx, key: ZoneKey, change: RecordChange, cap: ZoneCap, now: string) =>
    applyPlan(tx, await planChange(tx, key, change, cap, now)),
)

const keyOf = (account: Account, zone: string): ZoneKey => ({ accountId: account.id, zone })

export type RecordStore = ReturnType<typeof recordStore>

/** Records of zones that are verified for the account; for any other zone every method throws `forbidden_zone`. */
export const recordStore = (db: Database, cap: ZoneCap) => ({
  requireVerified: async (account: Account, zone: string): Promise<void> => {
    await requireVerified(db, account, zone)
  },

  list: recordLists(db),

  /** @throws ApiError `not_found` */
  get: async (account: Account, zone: string, id: number): Promise<StoredRecord> => {
    const record = await db.one(one, { ...keyOf(account, zone), id })
    if (record !== undefined) return record
    await requireVerified(db, account, zone)
    throw recordNotFound()
  },

  /** The records at a host. @param host relative to the zone */
  at: async (account: Account, zone: string, host: string): Promise<StoredRecord[]> => {
    const { id: zoneId } = await requireVerified(db, account, zone)
    return db.all(atHost, { zoneId, accountId: account.id, host })
  },

  /** Plans a change without applying it. @param now RFC 3339 @throws as `apply` */
  plan: (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
    planChange(db, keyOf(account, zone), change, cap, now),

  /**
   * Applies a change.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial
   * @throws ApiError `not_found`; `bad_request` for a record that conflicts with another one, or a zone beyond its cap
   */
  apply: (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
    db.write(applyChange, keyOf(account, zone), change, cap, now),
})
