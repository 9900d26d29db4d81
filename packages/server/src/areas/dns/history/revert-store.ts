import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, badRequestSentence } from '@svc/contract/errors'
import type { Database, Reader } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { recordsAtHosts } from '../records/changes-store.js'
import { countRecords } from '../records/host-store.js'
import { packPlan, unpackPlan } from '../records/packed-plan.js'
import { pauseIn, type Pause } from '../records/pages.js'
import { planChanges } from '../records/plan-changes.js'
import { zoneCapOf, type PlannedZone, type RecordsPlan, type ZoneCap } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import { applyRecordsPlan } from '../records/rrset-store.js'
import type { WantedChange } from '../records/wanted-changes.js'
import { readZoneRecords } from '../records/zone-records-store.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { requireRecords } from '../zones/record-rules.js'
import { lockVerified, zoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import { readChange, type HistoryKey } from './change-store.js'
import { contentsIn, recordsAt, serialNotFound } from './past-records.js'
import { changesTo, takeBack } from './revert-changes.js'

/** Takes back changes of a zone: one, or all since a serial. It is a change like a batch, with one step of the serial. */

/** Which changes are taken back. */
export type Revert = { readonly serial: number } | { readonly to: number }

async function plan(
  reader: Reader,
  key: RuledZoneKey,
  revert: Revert,
  cap: ZoneCap,
  now: string,
  pause: Pause,
): Promise<RecordsPlan> {
  const zone: PlannedZone = { ...key, ...(await lockVerified(reader, key)) }
  const { rows, changes } = await changesOf(reader, zone, revert, pause)
  const counted = await reader.one(countRecords, { zoneId: zone.id, accountId: zone.accountId })
  try {
    return await runInSlices(planChanges(zone, counted?.records ?? 0, rows, changes, cap, now), pause)
  } catch (error) {
    throw error instanceof ApiError ? withoutPosition(error, 'to' in revert ? 'to' : 'serial') : error
  }
}

/** @returns the changes, and the records at their hosts */
async function changesOf(
  reader: Reader,
  zone: PlannedZone,
  revert: Revert,
  pause: Pause,
): Promise<{ readonly rows: readonly StoredRecord[]; readonly changes: readonly WantedChange[] }> {
  const { id: zoneId, accountId, serial: latest } = zone
  const key: HistoryKey = { zoneId, accountId, latest }
  if ('to' in revert) {
    const rows = await readZoneRecords(reader, { zoneId, accountId }, pause)
    return { rows, changes: changesTo(rows, await recordsAt(reader, key, revert.to, rows, pause)) }
  }
  const change = await readChange(reader, key, revert.serial)
  if (change === undefined) throw serialNotFound()
  const touched = [...contentsIn(change.removed), ...contentsIn(change.added)]
  // A change of the holder alone.
  if (touched.length === 0) throw serialNotFound()
  // Before the records are compared with those of now: errors about conflicts name them.
  requireRecords(zone, { removed: touched })
  const rows = await recordsAtHosts(reader, zone, new Set(touched.map(({ host }) => host)), pause)
  return { rows, changes: takeBack(rows, change) }
}

/** The caller has sent no list of changes: an error names the serial. */
function withoutPosition({ code, message, extra }: ApiError, field: string): ApiError {
  const problem = message.replace(/^changes\[\d+\]\.\w+(?:(?:\.\w+)?: |\.)/, '')
  return code === 'bad_request'
    ? badRequestSentence(field, `${field} cannot be restored: ${problem.replace(/\.$/, '')}`)
    : new ApiError(code, problem, extra)
}

const applyRevert = unit(
  import.meta,
  'applyRevert',
  zoneLockKey,
  async (tx, key: RuledZoneKey, revert: Revert, cap: ZoneCap, now: string, isInThread: boolean) => {
    const planned = await plan(tx, key, revert, cap, now, pauseIn(tx))
    const applied = await applyRecordsPlan(tx, key, planned, now)
    return isInThread ? packPlan(applied) : applied
  },
)

export const revertStore = (db: Database, settings: ZoneCap) => ({
  /** The computed effect of `apply`. @throws as `apply` */
  plan: (account: Account, zone: string, revert: Revert, now: string): Promise<RecordsPlan> =>
    plan(db, zoneKey(account, zone), revert, zoneCapOf(account, settings), now, nextTurn),

  /**
   * Takes back changes, with one step of the serial.
   * @param now RFC 3339: the time of the revert
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `not_found` for a serial that the history does not have; `bad_request` for one that cannot be
   *   taken back, or records that cannot be restored
   */
  apply: async (account: Account, zone: string, revert: Revert, now: string): Promise<RecordsPlan> => {
    const isInThread = db.dialect === 'sqlite'
    return unpackPlan(
      await db.write(applyRevert, zoneKey(account, zone), revert, zoneCapOf(account, settings), now, isInThread),
    )
  },
})
