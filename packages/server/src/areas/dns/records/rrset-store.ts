import type { Database, Reader, Transaction } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, zoneKey, type ActingZoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import { advanceZone } from '../zones/version-store.js'
import { countRecords, readAtHost } from './host-store.js'
import { replaceRecords } from './insert-store.js'
import { pauseIn } from './pages.js'
import { planRRset } from './plan-rrset.js'
import { checkBytes, checkCount, zoneCapOf, type RecordsPlan, type ZoneCap } from './plan.js'
import type { WantedRRset } from './record.js'

/** Replaces all records of one host and type in a verified zone. */

async function planReplacement(
  reader: Reader,
  key: RuledZoneKey,
  wanted: WantedRRset,
  cap: ZoneCap,
  now: string,
): Promise<RecordsPlan> {
  // Both in one round trip. In a transaction, PostgreSQL runs the second query after it has locked the zone.
  const [locked, rows] = await Promise.all([
    lockVerified(reader, key),
    readAtHost(reader, { ...key, host: wanted.host }),
  ])
  const zone = { ...key, ...locked }
  const plan = planRRset(zone, rows, wanted, now)
  const added = plan.added.length - plan.removed.length
  // Ids only grow: while the last id stays below the cap, so does the number of records, and no count is needed.
  if (added > 0 && zone.last_record_id + added > cap.recordsMax) {
    const counted = await reader.one(countRecords, plan)
    checkCount(counted?.records ?? 0, added, cap)
  }
  checkBytes(zone, plan, 'values', cap)
  return plan
}

/** @returns the plan with the new serial */
export async function applyRecordsPlan(
  tx: Transaction,
  { actor }: ActingZoneKey,
  plan: RecordsPlan,
  now: string,
): Promise<RecordsPlan> {
  if (plan.step === 'none') return plan
  const { created, removed, added } = plan
  const pause = pauseIn(tx)
  await replaceRecords(tx, plan, removed, added, pause)
  return { ...plan, serial: await advanceZone(tx, plan, { actor, created, now, pause }) }
}

const replaceRRset = unit(
  import.meta,
  'replaceRRset',
  zoneLockKey,
  async (tx, key: RuledZoneKey, wanted: WantedRRset, cap: ZoneCap, now: string) =>
    applyRecordsPlan(tx, key, await planReplacement(tx, key, wanted, cap, now), now),
)

/** A part of `RecordStore`. */
export const rrsetStore = (db: Database, settings: ZoneCap) => ({
  /** The computed effect of `replaceRRset`. @throws as `replaceRRset` */
  planRRset: (account: Account, zone: string, wanted: WantedRRset, now: string): Promise<RecordsPlan> =>
    planReplacement(db, zoneKey(account, zone), wanted, zoneCapOf(account, settings), now),

  /**
   * Replaces all records of one host and type, with one step of the serial.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `bad_request` for values that conflict, or a zone beyond its cap
   */
  replaceRRset: (account: Account, zone: string, wanted: WantedRRset, now: string): Promise<RecordsPlan> =>
    db.write(replaceRRset, zoneKey(account, zone), wanted, zoneCapOf(account, settings), now),
})
