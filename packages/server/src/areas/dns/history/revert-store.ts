import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, badRequest, badRequestSentence } from '@svc/contract/errors'
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
import type { RecordContent } from '../zones/change-text.js'
import { requireSteps } from '../zones/record-rules.js'
import { lockVerified, requireVerified, zoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import { readChange } from './change-store.js'
import { historySlots } from './history-slots.js'
import { contentsIn, recordsAt, serialNotFound } from './past-records.js'
import { changesToSteps, takeBackSteps } from './revert-changes.js'

/** Takes back changes of a zone: one, or all since a serial. It is a change like a batch, with one step of the serial. */

/** Which changes are taken back. */
export type Revert = ({ readonly serial: number } | { readonly to: number }) & {
  /** Nothing is taken back if the zone has another serial: the caller has seen the effect at this one. */
  readonly ifSerial?: number | undefined
}

async function plan(
  reader: Reader,
  key: RuledZoneKey,
  revert: Revert,
  cap: ZoneCap,
  now: string,
  pause: Pause,
): Promise<RecordsPlan> {
  const { zone, rows, changes } = await changesOf(reader, key, revert, pause)
  const counted = await reader.one(countRecords, { zoneId: zone.id, accountId: zone.accountId })
  try {
    return await runInSlices(planChanges(zone, counted?.records ?? 0, rows, changes, cap, now), pause)
  } catch (error) {
    throw error instanceof ApiError ? withoutPosition(error, 'to' in revert ? 'to' : 'serial') : error
  }
}

/** @throws ApiError `bad_request` if the zone has changed since the caller has seen it */
function requireSerial({ serial }: PlannedZone, { ifSerial = serial }: Revert): void {
  if (ifSerial !== serial)
    throw badRequest('if_serial', `must be the serial of the zone, which is ${serial} now, not ${ifSerial}`)
}

interface RevertedZone {
  readonly zone: PlannedZone
  /** At least those at the hosts of the changes. */
  readonly rows: readonly StoredRecord[]
  readonly changes: readonly WantedChange[]
}

async function changesOf(reader: Reader, key: RuledZoneKey, revert: Revert, pause: Pause): Promise<RevertedZone> {
  const locked: PlannedZone = { ...key, ...(await lockVerified(reader, key)) }
  requireSerial(locked, revert)
  const ofAccount = { zoneId: locked.id, accountId: key.accountId }
  if ('to' in revert) {
    const rows = await readZoneRecords(reader, ofAccount, pause)
    // Again: without a lock, for a dry run, the zone may have changed while its records were read.
    const zone: PlannedZone = { ...key, ...(await requireVerified(reader, key)) }
    const wanted = await recordsAt(reader, { ...ofAccount, latest: zone.serial }, revert.to, rows, pause)
    return { zone, rows, changes: await runInSlices(changesToSteps(rows, wanted), pause) }
  }
  const change = await readChange(reader, { ...ofAccount, latest: locked.serial }, revert.serial)
  if (change === undefined) throw serialNotFound()
  const [removed, added] = [await contentsOf(change.removed, pause), await contentsOf(change.added, pause)]
  // A change of the holder alone.
  if (removed.length + added.length === 0) throw serialNotFound()
  // Before the records are compared with those of now: errors about conflicts name them.
  await runInSlices(requireSteps(locked, { removed, added }), pause)
  const rows = await recordsAround(reader, locked, [...removed, ...added], pause)
  return { zone: locked, rows, changes: await runInSlices(takeBackSteps(rows, { removed, added }), pause) }
}

async function contentsOf(text: string, pause: Pause): Promise<RecordContent[]> {
  function* steps(): Generator<undefined, RecordContent[]> {
    const records: RecordContent[] = []
    for (const some of contentsIn(text)) {
      for (const record of some) records.push(record)
      yield
    }
    return records
  }
  return runInSlices(steps(), pause)
}

/** Beyond so many hosts, the records of the zone are read: each page of `recordsAtHosts` reads the list of the hosts. */
const hostsMax = 1000

/** All records at the hosts of some. */
async function recordsAround(
  reader: Reader,
  zone: PlannedZone,
  touched: readonly RecordContent[],
  pause: Pause,
): Promise<readonly StoredRecord[]> {
  const hosts = new Set(touched.map(({ host }) => host))
  if (hosts.size <= hostsMax) return recordsAtHosts(reader, zone, hosts, pause)
  return readZoneRecords(reader, { zoneId: zone.id, accountId: zone.accountId }, pause, (page) =>
    page.filter(({ host }) => hosts.has(host)),
  )
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

export function revertStore(db: Database, settings: ZoneCap) {
  const inSlot = historySlots()
  return {
    /** The computed effect of `apply`. @throws as `apply` */
    plan: (account: Account, zone: string, revert: Revert, now: string): Promise<RecordsPlan> =>
      inSlot(account, () => plan(db, zoneKey(account, zone), revert, zoneCapOf(account, settings), now, nextTurn)),

    /**
     * Takes back changes, with one step of the serial.
     * @param now RFC 3339: the time of the revert
     * @returns the plan with the new serial
     * @throws ApiError `forbidden_zone`; `not_found` for a serial that the history does not have; `bad_request` for one that cannot be
     *   taken back, records that cannot be restored, or a zone that has another serial than `ifSerial`
     */
    apply: (account: Account, zone: string, revert: Revert, now: string): Promise<RecordsPlan> =>
      inSlot(account, async () => {
        const [key, cap] = [zoneKey(account, zone), zoneCapOf(account, settings)]
        return unpackPlan(await db.write(applyRevert, key, revert, cap, now, db.dialect === 'sqlite'))
      }),
  }
}
