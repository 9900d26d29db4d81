import type { QueryCreator } from 'kysely'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared, preparedFor } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { readable, requireRecords } from '../zones/record-rules.js'
import {
  forbiddenZone,
  lockFreeZones,
  lockVerified,
  requireVerified,
  zoneKey,
  type ActingZoneKey,
  type RuledZoneKey,
  type ZoneKey,
  type ZoneRow,
} from '../zones/verified-store.js'
import { advanceWithJournal, advanceZone, type JournaledAdvance } from '../zones/version-store.js'
import { mergeRecord } from './check.js'
import { changesStore } from './changes-store.js'
import { batchedCreates, type NewRecord } from './create-batch.js'
import { readAtHost, countRecords, idOf, isAtHost, type ZoneOfAccount } from './host-store.js'
import { recordLists } from './list-store.js'
import {
  checkBytes,
  checkCount,
  largerField,
  planCreate,
  planDelete,
  planUpdate,
  zoneCapOf,
  type PlannedZone,
  type RecordPlan,
  type ZoneCap,
} from './plan.js'
import { recordPages } from './page-store.js'
import { pauseIn } from './pages.js'
import { recordColumns } from './presenter.js'
import { recordNotFound, type RecordChange, type StoredRecord } from './record.js'
import { rrsetStore } from './rrset-store.js'
import { warningStore } from './warning-store.js'

/** Records of verified zones: reads, and the unit that applies a change. */

/** Served by the primary key (zone_id, id). */
const byId = prepared((db, p: ZoneKey & { id: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', (is) => idOf(is, p.zone))
    .where('account_id', '=', p.accountId)
    .where('id', '=', p.id)
    .select(recordColumns),
)

/** A record of a verified zone in one query. Subqueries, because a join takes SQLite three times as long. */
const ofVerifiedZone = prepared((db, p: ZoneKey & { id: number }) =>
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

type Row = StoredRecord & ZoneOfAccount

const insertOf = (db: QueryCreator<Tables>, p: Row) =>
  db
    .insertInto('dns_record')
    .values({
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
    })

const insert = prepared((db, p: Row) => insertOf(db, p))

/** The same with all that follows from it. */
const insertWithJournal = preparedFor('postgres', (db, p: Row & JournaledAdvance) =>
  advanceWithJournal(
    db.with('record', (record) => insertOf(record, p)),
    p,
  ),
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
const changeTtl = prepared((db, p: Row, dialect) =>
  db
    .updateTable('dns_record')
    .set({ ttl: p.ttl, updated_at: p.updated_at })
    .where((is) => isAtHost(is, p.zoneId, p, dialect))
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

/**
 * Plans a change, and reads the other rows that it depends on.
 * @param found for a new record, the records at its host; for an update or a deletion, the record itself, or none
 */
async function planInZone(
  reader: Reader,
  zone: PlannedZone,
  change: RecordChange,
  found: readonly StoredRecord[],
  now: string,
): Promise<RecordPlan> {
  if (change.kind === 'create') return planCreate(zone, found, change.record, now)
  const { accountId } = zone
  const recordsAt = (host: string) => readAtHost(reader, { accountId, zone: zone.zone, host })
  const [current] = found
  if (current === undefined) throw recordNotFound()
  // Before its other fields are checked, and its neighbours are read.
  requireRecords(zone, { removed: [current] })
  if (change.kind === 'delete') return planDelete(zone, await recordsAt(current.host), current)
  const merged = mergeRecord(zone.zone, current, change.changes)
  const rows = await recordsAt(merged.host)
  const left = current.host === merged.host ? [] : await recordsAt(current.host)
  return planUpdate(zone, [...rows, ...left], current, merged, now)
}

/** Without waiting for another transaction. @throws ApiError `forbidden_zone`, also if the zone is locked */
async function lockIfFree(reader: Reader, key: ZoneKey): Promise<ZoneRow> {
  const zone = (await lockFreeZones(reader, [key])).get(key.zone)
  if (zone === undefined) throw forbiddenZone(key.zone)
  return zone
}

/**
 * Plans a change of a verified zone.
 * @param lock checks that the zone is verified
 * @throws ApiError `forbidden_zone`; `not_found`; `bad_request` for a record that conflicts with another one, or a zone
 *   beyond its cap
 */
async function planChange(
  reader: Reader,
  key: RuledZoneKey,
  change: RecordChange,
  cap: ZoneCap,
  now: string,
  lock = lockVerified,
): Promise<RecordPlan> {
  // Both in one round trip. In a transaction, PostgreSQL runs the second query after it has locked the zone.
  const [locked, found] = await Promise.all([
    lock(reader, key),
    change.kind === 'create'
      ? readAtHost(reader, { ...key, host: change.record.host })
      : reader.all(byId, { ...key, id: change.id }),
  ])
  const zone = { ...key, ...locked }
  const plan = await planInZone(reader, zone, change, found, now)
  // Ids only grow: while the last id is below the cap, so is the number of records, and no count is needed.
  if (plan.step === 'insert' && zone.last_record_id >= cap.recordsMax) {
    const counted = await reader.one(countRecords, { zoneId: zone.id, accountId: zone.accountId })
    checkCount(counted?.records ?? 0, 1, cap)
  }
  checkBytes(zone, plan, largerField(plan), cap)
  return plan
}

/** @returns the plan with the new serial */
async function applyPlan(
  tx: Transaction,
  { actor }: ActingZoneKey,
  plan: RecordPlan,
  now: string,
): Promise<RecordPlan> {
  const { zoneId, accountId, step, record } = plan
  if (step === 'none') return plan
  const row = { ...record, zoneId, accountId }
  const send =
    step === 'insert' && tx.dialect === 'postgres'
      ? (advance: JournaledAdvance) => {
          tx.send(insertWithJournal, { ...row, ...advance })
        }
      : undefined
  if (step === 'insert' && send === undefined) tx.send(insert, row)
  if (step === 'update') tx.send(update, row)
  if (step === 'delete') tx.send(remove, row)
  if (plan.ttlChanged.length > 0) tx.send(changeTtl, row)
  const created = step === 'insert' ? 1 : 0
  return { ...plan, serial: await advanceZone(tx, plan, { actor, created, now, pause: pauseIn(tx), send }) }
}

/** Plans a change and applies it. @returns the plan with the new serial @throws as `planChange` */
const applyChange = unit(
  import.meta,
  'applyChange',
  zoneLockKey,
  async (tx, key: RuledZoneKey, change: RecordChange, cap: ZoneCap, now: string) =>
    applyPlan(tx, key, await planChange(tx, key, change, cap, now), now),
)

/** The same for a new record, without waiting for another transaction. @throws as `planChange`, and if the zone is locked */
const createInFreeZone = unit(import.meta, 'createInFreeZone', async (tx, { record, now, cap, ...key }: NewRecord) =>
  applyPlan(tx, key, await planChange(tx, key, { kind: 'create', record }, cap, now, lockIfFree), now),
)

export type RecordStore = ReturnType<typeof recordStore>

/** Records of zones that are verified for the account; for any other zone every method throws `forbidden_zone`. */
export function recordStore(db: Database, settings: ZoneCap) {
  const capOf = (account: Account) => zoneCapOf(account, settings)
  const create = db.dialect === 'postgres' ? batchedCreates(db, createInFreeZone) : undefined
  const applyAlone = (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
    db.write(applyChange, zoneKey(account, zone), change, capOf(account), now)
  const allAt = async (account: Account, zone: string, host: string): Promise<StoredRecord[]> => {
    const key = zoneKey(account, zone)
    const [, records] = await Promise.all([requireVerified(db, key), readAtHost(db, { ...key, host })])
    return records
  }
  return {
    requireVerified: async (account: Account, zone: string): Promise<void> => {
      await requireVerified(db, zoneKey(account, zone))
    },

    list: recordLists(db),

    page: recordPages(db),

    /** @throws ApiError `not_found` */
    get: async (account: Account, zone: string, id: number): Promise<StoredRecord> => {
      const key = zoneKey(account, zone)
      const record = await db.one(ofVerifiedZone, { ...key, id })
      if (record !== undefined) {
        requireRecords(key, { removed: [record] }, 'read')
        return record
      }
      await requireVerified(db, key)
      throw recordNotFound()
    },

    /** The records at a host. @param host relative to the zone */
    at: async (account: Account, zone: string, host: string): Promise<StoredRecord[]> =>
      readable(zoneKey(account, zone), await allAt(account, zone, host)),

    /** Also those that the caller may not read. */
    allAt,

    /** Plans a change without applying it. @param now RFC 3339 @throws as `apply` */
    plan: (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
      planChange(db, zoneKey(account, zone), change, capOf(account), now),

    /**
     * Applies a change. On PostgreSQL, new records that wait at the same time are created in one transaction.
     * @param now RFC 3339: the time of the change
     * @returns the plan with the new serial
     * @throws ApiError `not_found`; `bad_request` for a record that conflicts with another one, or a zone beyond its cap
     */
    apply: async (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
      (change.kind === 'create'
        ? await create?.({ ...zoneKey(account, zone), record: change.record, now, cap: capOf(account) })
        : undefined) ?? applyAlone(account, zone, change, now),

    /** The same in a transaction that has no other changes, so that its outcome can be found out. @throws as `apply` */
    applyAlone,

    ...rrsetStore(db, settings),
    ...changesStore(db, settings),
    ...warningStore(db),
  }
}
