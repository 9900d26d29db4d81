import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Reader } from '../../../db/port.js'
import { numberList } from '../../../db/json-list.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import { runAtOnce, runInSlices } from '../../../shared/time-slices.js'
import { zoneLockKey } from '../zones/lock-keys.js'
import { lockVerified, zoneKey, type RuledZoneKey, type ZoneKey } from '../zones/verified-store.js'
import { countRecords, idOf, isAtHosts } from './host-store.js'
import { packPlan, unpackPlan } from './packed-plan.js'
import { pauseIn, readInPages, type Pause } from './pages.js'
import { planChanges } from './plan-changes.js'
import { zoneCapOf, type RecordsPlan, type ZoneCap } from './plan.js'
import { recordColumns } from './presenter.js'
import type { StoredRecord } from './record.js'
import { applyRecordsPlan } from './rrset-store.js'
import type { WantedChange } from './wanted-changes.js'

/** Several changes of a verified zone: all or none, with one step of the serial. */

/** The hosts of records. Served by the primary key (zone_id, id). */
const hostsOf = prepared((db, p: ZoneKey & { ids: string }, dialect) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', (is) => idOf(is, p.zone))
    .where('account_id', '=', p.accountId)
    .where('id', 'in', numberList(p.ids, dialect))
    .select('host'),
)

/** In pages. @param p.after the last id of the page before */
const atHosts = prepared((db, p: ZoneKey & { hosts: string; after: number; limit: number }, dialect) =>
  db
    .selectFrom('dns_record')
    .where((is) => isAtHosts(is, p, dialect))
    .where('id', '>', p.after)
    .select(recordColumns)
    .orderBy('id')
    .limit(p.limit),
)

/** The hosts at which a change creates records. */
function newHosts(change: WantedChange): string[] {
  if (change.kind === 'create') return [change.record.host]
  if (change.kind === 'replace') return [change.rrset.host]
  return change.kind === 'update' && change.changes.host !== undefined ? [change.changes.host] : []
}

/** How many records a change creates at the most. */
const newRecords = (change: WantedChange): number =>
  change.kind === 'create' ? 1 : change.kind === 'replace' ? change.rrset.values.length : 0

/** The account's records at hosts, by id. */
export const recordsAtHosts = (
  reader: Reader,
  key: ZoneKey,
  hosts: ReadonlySet<string>,
  pause: Pause,
): Promise<StoredRecord[]> =>
  readInPages((page) => reader.all(atHosts, { ...key, ...page, hosts: JSON.stringify([...hosts]) }), pause)

/** A plan of so many records and changes takes a few milliseconds: on PostgreSQL, a pause costs a round trip. */
const stepsAtOnce = 1000

async function planInZone(
  reader: Reader,
  key: RuledZoneKey,
  changes: readonly WantedChange[],
  cap: ZoneCap,
  now: string,
  pause: Pause,
): Promise<RecordsPlan> {
  const ids = changes.flatMap((change) => ('id' in change ? [change.id] : []))
  // Both in one round trip. In a transaction, PostgreSQL runs the second query after it has locked the zone.
  const [locked, named] = await Promise.all([
    lockVerified(reader, key),
    reader.all(hostsOf, { ...key, ids: JSON.stringify(ids) }),
  ])
  const zone = { ...key, ...locked }
  const hosts = new Set([...named.map(({ host }) => host), ...changes.flatMap(newHosts)])
  const created = changes.reduce((sum, change) => sum + newRecords(change), 0)
  // Ids only grow: while the last id stays below the cap, so does the number of records, and no count is needed.
  const mayBeFull = created > 0 && zone.last_record_id + created > cap.recordsMax
  const [rows, counted] = await Promise.all([
    recordsAtHosts(reader, key, hosts, pause),
    mayBeFull ? reader.one(countRecords, { zoneId: zone.id, accountId: zone.accountId }) : undefined,
  ])
  const steps = planChanges(zone, counted?.records ?? zone.last_record_id, rows, changes, cap, now)
  return rows.length + changes.length <= stepsAtOnce ? runAtOnce(steps) : runInSlices(steps, pause)
}

const applyChanges = unit(
  import.meta,
  'applyChanges',
  zoneLockKey,
  async (tx, key: RuledZoneKey, changes: readonly WantedChange[], cap: ZoneCap, now: string, isInThread: boolean) => {
    const plan = await applyRecordsPlan(tx, key, await planInZone(tx, key, changes, cap, now, pauseIn(tx)), now)
    return isInThread ? packPlan(plan) : plan
  },
)

/** A part of `RecordStore`. */
export const changesStore = (db: Database, settings: ZoneCap) => ({
  /** The computed effect of `applyChanges`. @throws as `applyChanges` */
  planChanges: (account: Account, zone: string, changes: readonly WantedChange[], now: string): Promise<RecordsPlan> =>
    planInZone(db, zoneKey(account, zone), changes, zoneCapOf(account, settings), now, nextTurn),

  /**
   * Applies changes in their order, all or none, with one step of the serial.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial
   * @throws ApiError `forbidden_zone`; `not_found` for an unknown id; `bad_request` for a change that is refused. The message
   *   names the change
   */
  applyChanges: async (
    account: Account,
    zone: string,
    changes: readonly WantedChange[],
    now: string,
  ): Promise<RecordsPlan> => {
    const [key, cap] = [zoneKey(account, zone), zoneCapOf(account, settings)]
    return unpackPlan(await db.write(applyChanges, key, changes, cap, now, db.dialect === 'sqlite'))
  },
})
