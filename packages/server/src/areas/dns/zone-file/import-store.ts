import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account, ActingAccount } from '../../../shared/account.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { replaceRecords } from '../records/insert-store.js'
import { pauseIn, type Pause } from '../records/pages.js'
import { zonePlan, type ZonePlan } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import { readZoneRecords } from '../records/zone-records-store.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { readable, requireSteps, type ChangedRecords } from '../zones/record-rules.js'
import {
  lockVerified,
  requireVerified,
  zoneKey,
  type ActingZoneKey,
  type RuledZoneKey,
} from '../zones/verified-store.js'
import { advanceZone } from '../zones/version-store.js'
import { planSteps, type ImportChanges, type ImportOptions } from './import-plan.js'
import type { ReadRecord } from './records.js'

/** Imports of zone files into the database, for the operator and the console. */

/** The computed effect of an import. */
export interface ImportPlan extends ImportChanges, ZonePlan {
  /** All records of the zone. */
  readonly before: readonly StoredRecord[]
}

/** Whether an import is a no-op. */
export const changesNothing = ({ created, ttlChanged, deleted }: ImportChanges): boolean =>
  created.length + ttlChanged.length + deleted.length === 0

/** Served by dns_claim_verified (zone), a partial index that needs the literal status. */
const holderOf = prepared((db, p: { zone: string }) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('account', 'account.id', 'dns_claim.account_id')
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', sql.lit('verified'))
    .select(['account.id', 'account.email']),
)

async function plan(
  reader: Reader,
  key: RuledZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
  pause: Pause,
): Promise<ImportPlan> {
  const zone = { ...key, ...(await lockVerified(reader, key)) }
  const requireAllowed = (change: ChangedRecords) => runInSlices(requireSteps(key, change, options.access), pause)
  await requireAllowed({ added: read.map(({ record }) => record) })
  const { id: zoneId, accountId } = zone
  const before = await readZoneRecords(reader, { zoneId, accountId }, pause)
  const changes = await runInSlices(planSteps(before, read, zone.last_record_id, options), pause)
  const { created, ttlChanged, deleted } = changes
  await requireAllowed({ removed: deleted })
  const altered = new Set(ttlChanged.map(({ id }) => id))
  const removed = [...deleted, ...before.filter(({ id }) => altered.has(id))]
  return { before, ...changes, ...zonePlan(zone, removed, [...ttlChanged, ...created]) }
}

/** @returns the plan with the new serial */
async function applyPlan(
  tx: Transaction,
  { actor }: ActingZoneKey,
  plan: ImportPlan,
  now: string,
): Promise<ImportPlan> {
  if (changesNothing(plan)) return plan
  const { created, removed, added } = plan
  const terms = { actor, created: created.length, now, pause: pauseIn(tx) }
  await replaceRecords(tx, plan, removed, added, terms.pause)
  return { ...plan, serial: await advanceZone(tx, plan, terms) }
}

/** The unit `applyImport` as a part of a larger transaction. */
export const importInTransaction = async (
  tx: Transaction,
  key: RuledZoneKey,
  read: readonly ReadRecord[],
  options: ImportOptions,
): Promise<ImportPlan> => applyPlan(tx, key, await plan(tx, key, read, options, pauseIn(tx)), options.now)

const applyImport = unit(import.meta, 'applyImport', zoneLockKey, importInTransaction)

/** The result of an import: numbers of records, and the zone's new serial. */
export interface ImportCounts {
  readonly created: number
  readonly ttlChanged: number
  readonly deleted: number
  readonly serial: number
}

export const countsOf = ({ created, ttlChanged, deleted, serial }: ImportPlan): ImportCounts => ({
  created: created.length,
  ttlChanged: ttlChanged.length,
  deleted: deleted.length,
  serial,
})

/** Answers with numbers: to receive the records of a large zone from the writer thread would block the event loop. */
const applyCounted = unit(
  import.meta,
  'applyCounted',
  zoneLockKey,
  async (tx, key: RuledZoneKey, read: readonly ReadRecord[], options: ImportOptions) =>
    countsOf(await importInTransaction(tx, key, read, options)),
)

export type ImportStore = ReturnType<typeof importStore>

export const importStore = (db: Database) => ({
  /** The account that has verified the zone. */
  holder: (zone: string) => db.one(holderOf, { zone }),

  /** The computed effect of `apply`. @throws as `apply` */
  plan: (
    account: ActingAccount,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan> => plan(db, zoneKey(account, zone), read, options, nextTurn),

  /** The records of an account in a verified zone that it may read, with the zone's serial. @throws ApiError `forbidden_zone` */
  records: async (account: Account, zone: string): Promise<{ serial: number; records: StoredRecord[] }> => {
    const key = zoneKey(account, zone)
    const { id: zoneId, serial } = await requireVerified(db, key)
    const { id: accountId } = account
    const records = await readZoneRecords(db, { zoneId, accountId }, nextTurn, (page) => readable(key, page))
    return { serial, records }
  },

  /**
   * Imports all records or none, with one step of the serial.
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `bad_request` with a line for each record that conflicts with another one
   */
  apply: (
    account: ActingAccount,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportPlan> => db.write(applyImport, zoneKey(account, zone), read, options),

  /** The same with a short answer. @throws as `apply` */
  applyCounted: (
    account: ActingAccount,
    zone: string,
    read: readonly ReadRecord[],
    options: ImportOptions,
  ): Promise<ImportCounts> => db.write(applyCounted, zoneKey(account, zone), read, options),
})
