import type { Database, Reader, Transaction } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, type ZoneKey } from '../zones/verified-store.js'
import { advanceZone } from '../zones/version-store.js'
import { atHost, countRecords } from './host-store.js'
import { replaceRecords } from './insert-store.js'
import { planRRset, type RRsetPlan } from './plan-rrset.js'
import { checkBytes, checkCount, type ZoneCap } from './plan.js'
import type { WantedRRset } from './record.js'

/** Replaces all records of one host and type in a verified zone. */

async function planReplacement(
  reader: Reader,
  key: ZoneKey,
  wanted: WantedRRset,
  cap: ZoneCap,
  now: string,
): Promise<RRsetPlan> {
  // Both in one round trip. In a transaction, PostgreSQL runs the second query after it has locked the zone.
  const [locked, rows] = await Promise.all([
    lockVerified(reader, key),
    reader.all(atHost, { ...key, host: wanted.host }),
  ])
  const zone = { ...key, ...locked }
  const plan = planRRset(zone, rows, wanted, now)
  const added = plan.created.length - plan.deleted.length
  // Ids only grow: while the last id stays below the cap, so does the number of records, and no count is needed.
  if (added > 0 && zone.last_record_id + added > cap.recordsMax) {
    const counted = await reader.one(countRecords, plan)
    checkCount(counted?.records ?? 0, added, cap)
  }
  checkBytes(zone, plan, 'values', cap)
  return plan
}

/** @returns the plan with the new serial */
function applyReplacement(tx: Transaction, plan: RRsetPlan): RRsetPlan {
  if (plan.step === 'none') return plan
  const { created, changed, deleted, growth } = plan
  replaceRecords(tx, plan, [...deleted, ...changed], [...changed, ...created])
  return { ...plan, serial: advanceZone(tx, plan, { created: created.length, growth }) }
}

const replaceRRset = unit(
  import.meta,
  'replaceRRset',
  zoneLockKey,
  async (tx, key: ZoneKey, wanted: WantedRRset, cap: ZoneCap, now: string) =>
    applyReplacement(tx, await planReplacement(tx, key, wanted, cap, now)),
)

/** A part of `RecordStore`. */
export const rrsetStore = (db: Database, cap: ZoneCap) => ({
  /** The computed effect of `replaceRRset`. @throws as `replaceRRset` */
  planRRset: (account: Account, zone: string, wanted: WantedRRset, now: string): Promise<RRsetPlan> =>
    planReplacement(db, { accountId: account.id, zone }, wanted, cap, now),

  /**
   * Replaces all records of one host and type, with one step of the serial.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `bad_request` for values that conflict, or a zone beyond its cap
   */
  replaceRRset: (account: Account, zone: string, wanted: WantedRRset, now: string): Promise<RRsetPlan> =>
    db.write(replaceRRset, { accountId: account.id, zone }, wanted, cap, now),
})
