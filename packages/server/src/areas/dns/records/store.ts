import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import type { CanonicalRecord, GivenChanges } from './record.js'
import {
  plannedCreate,
  plannedDelete,
  plannedUpdate,
  recordColumns,
  recordNotFound,
  type Cap,
  type Plan,
  type StoredRecord,
  type ZoneKey,
} from './plan.js'
import { recordLists, requireVerified } from './list-store.js'
import { nextSerial } from '../zones/serial.js'
import { zoneTurn } from '../zones/turn.js'
import { holdVersions, nextVersion } from '../zones/version-store.js'

type Row = StoredRecord & { readonly zoneId: number; readonly accountId: number }

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

/** Ids from dns_record_by_host (zone_id, host), rows by the primary key. */
const retime = prepared((db, p: Row) =>
  db
    .updateTable('dns_record')
    .set({ ttl: p.ttl, updated_at: p.updated_at })
    .where('zone_id', '=', p.zoneId)
    .where('id', 'in', (of) =>
      of
        .selectFrom('dns_record as there')
        .where('zone_id', '=', p.zoneId)
        .where('account_id', '=', p.accountId)
        .where('host', '=', p.host)
        .select('there.id'),
    )
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

export const advance = prepared((db, p: { zoneId: number; serial: number; created: number; growth: number }) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion,
      last_record_id: zone('last_record_id', '+', p.created),
      content_bytes: zone('content_bytes', '+', p.growth),
    }))
    .where('id', '=', p.zoneId),
)

/** Does what was planned; with that, the zone's serial moves. @returns the plan with the new serial */
async function carryOut(tx: Transaction, plan: Plan): Promise<Plan> {
  const { zoneId, accountId, step, record, growth } = plan
  if (step === 'none') return plan
  const row = { ...record, zoneId, accountId }
  if (step === 'insert') await tx.run(insert, row)
  if (step === 'update') await tx.run(update, row)
  if (step === 'delete') await tx.run(remove, row)
  if (plan.retimes) await tx.run(retime, row)
  const serial = nextSerial(plan.serial)
  await tx.run(holdVersions, {})
  await tx.run(advance, { zoneId, serial, created: step === 'insert' ? 1 : 0, growth })
  return { ...plan, serial }
}

const createRecord = unit(
  import.meta,
  'createRecord',
  zoneTurn,
  async (tx, key: ZoneKey, record: CanonicalRecord, now: string, cap: Cap) =>
    carryOut(tx, await plannedCreate(tx, key, record, now, cap)),
)

const updateRecord = unit(
  import.meta,
  'updateRecord',
  zoneTurn,
  async (tx, key: ZoneKey, id: number, changes: GivenChanges, now: string, cap: Cap) =>
    carryOut(tx, await plannedUpdate(tx, key, id, changes, now, cap)),
)

const deleteRecord = unit(import.meta, 'deleteRecord', zoneTurn, async (tx, key: ZoneKey, id: number) =>
  carryOut(tx, await plannedDelete(tx, key, id)),
)

/** A record of a verified zone. Subqueries, because SQLite takes three times as long over the joins. */
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

const keyOf = (account: Account, zone: string): ZoneKey => ({ accountId: account.id, zone })

export type RecordStore = ReturnType<typeof recordStore>

/** Records of zones that are verified for the account; for any other zone every method throws `forbidden_zone`. */
export const recordStore = (db: Database, cap: Cap) => ({
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

  /** What a change would come to, without making it. */
  planned: {
    create: (account: Account, zone: string, record: CanonicalRecord, now: string) =>
      plannedCreate(db, keyOf(account, zone), record, now, cap),
    update: (account: Account, zone: string, id: number, changes: GivenChanges, now: string) =>
      plannedUpdate(db, keyOf(account, zone), id, changes, now, cap),
    delete: (account: Account, zone: string, id: number) => plannedDelete(db, keyOf(account, zone), id),
  },

  /** @throws ApiError `bad_request` for one that may not stand there, or one too many */
  create: (account: Account, zone: string, record: CanonicalRecord, now: string): Promise<Plan> =>
    db.write(createRecord, keyOf(account, zone), record, now, cap),

  /** @throws ApiError `not_found`, or `bad_request` for what the record cannot become */
  update: (account: Account, zone: string, id: number, changes: GivenChanges, now: string): Promise<Plan> =>
    db.write(updateRecord, keyOf(account, zone), id, changes, now, cap),

  /** @throws ApiError `not_found` */
  delete: (account: Account, zone: string, id: number): Promise<Plan> =>
    db.write(deleteRecord, keyOf(account, zone), id),
})
