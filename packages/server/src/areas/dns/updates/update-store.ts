import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Reader } from '../../../db/port.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { runAtOnce, runInSlices } from '../../../shared/time-slices.js'
import { recordsAtHosts } from '../records/changes-store.js'
import { countRecords, readAtHost } from '../records/host-store.js'
import { packPlan, unpackPlan } from '../records/packed-plan.js'
import { pauseIn, type Pause } from '../records/pages.js'
import { zoneCapOf, type ZoneCap } from '../records/plan.js'
import type { StoredRecord } from '../records/record.js'
import { applyRecordsPlan } from '../records/rrset-store.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, zoneKey, type RuledZoneKey } from '../zones/verified-store.js'
import { planUpdate, type UpdatePlan } from './plan-update.js'
import type { WantedUpdate } from './update.js'

/** Updates of RFC 2136 in verified zones: the prerequisites are checked in the transaction of the changes. */

/** Hosts whose records decide about an update. */
function hostsOf({ prerequisites, steps }: WantedUpdate): Set<string> {
  const hosts = new Set<string>()
  for (const prerequisite of prerequisites) if ('host' in prerequisite) hosts.add(prerequisite.host)
  for (const step of steps) {
    if (step.kind === 'add') hosts.add(step.record.host)
    else if ('host' in step) hosts.add(step.host)
  }
  return hosts
}

function recordsAt(
  reader: Reader,
  key: RuledZoneKey,
  hosts: ReadonlySet<string>,
  pause: Pause,
): Promise<StoredRecord[]> {
  const [host] = hosts
  if (host === undefined) return Promise.resolve([])
  return hosts.size === 1 ? readAtHost(reader, { ...key, host }) : recordsAtHosts(reader, key, hosts, pause)
}

/** A plan of so many records and changes takes a few milliseconds: on PostgreSQL, a pause costs a round trip. */
const stepsAtOnce = 1000

async function planInZone(
  reader: Reader,
  key: RuledZoneKey,
  update: WantedUpdate,
  cap: ZoneCap,
  now: string,
  pause: Pause,
): Promise<UpdatePlan> {
  // Both in one round trip. In a transaction, PostgreSQL runs the second query after it has locked the zone.
  const [locked, rows] = await Promise.all([lockVerified(reader, key), recordsAt(reader, key, hostsOf(update), pause)])
  const zone = { ...key, ...locked }
  const added = update.steps.filter(({ kind }) => kind === 'add').length
  // Ids only grow: while the last id stays below the cap, so does the number of records, and no count is needed.
  const counted =
    added > 0 && zone.last_record_id + added > cap.recordsMax
      ? await reader.one(countRecords, { zoneId: zone.id, accountId: zone.accountId })
      : undefined
  const steps = planUpdate(zone, counted?.records ?? zone.last_record_id, rows, update, cap, now)
  return rows.length + update.steps.length <= stepsAtOnce ? runAtOnce(steps) : runInSlices(steps, pause)
}

const applyUpdate = unit(
  import.meta,
  'applyUpdate',
  zoneLockKey,
  async (tx, key: RuledZoneKey, update: WantedUpdate, cap: ZoneCap, now: string, isInThread: boolean) => {
    const planned = await planInZone(tx, key, update, cap, now, pauseIn(tx))
    const plan = { ...(await applyRecordsPlan(tx, key, planned, now)), rcode: planned.rcode }
    return isInThread ? packPlan(plan) : plan
  },
)

/** Updates of zones that are verified for the account; for any other zone every method throws `forbidden_zone`. */
export const updateStore = (db: Database, settings: ZoneCap) => ({
  /** The computed effect of `apply`. @throws as `apply` */
  plan: (account: Account, zone: string, update: WantedUpdate, now: string): Promise<UpdatePlan> =>
    planInZone(db, zoneKey(account, zone), update, zoneCapOf(account, settings), now, nextTurn),

  /**
   * Applies an update, whole or not at all, with one step of the serial.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial, or that of before if it changes nothing
   * @throws ApiError `forbidden_zone`; `bad_request` for a change that svc refuses
   */
  apply: async (account: Account, zone: string, update: WantedUpdate, now: string): Promise<UpdatePlan> => {
    const [key, cap] = [zoneKey(account, zone), zoneCapOf(account, settings)]
    return unpackPlan(await db.write(applyUpdate, key, update, cap, now, db.dialect === 'sqlite'))
  },
})
