import { ApiError } from '@svc/contract/errors'
import { groupBy } from '@svc/contract/group-by'
import type { RRset } from '../../../ports/dns/port.js'
import { requireRecords } from '../zones/record-rules.js'
import { mergeRecord } from './check.js'
import { planRRset } from './plan-rrset.js'
import {
  checkBytes,
  checkCount,
  largerField,
  planCreate,
  planDelete,
  planUpdate,
  zonePlan,
  type Plan,
  type PlannedZone,
  type RecordsPlan,
  type ZoneCap,
} from './plan.js'
import { recordNotFound, type StoredRecord } from './record.js'
import { rrsetOf } from './rrset.js'
import { atChange, type WantedChange } from './wanted-changes.js'

/** A zone as the changes of a batch before the next one have left it. */
interface Picture {
  readonly zone: PlannedZone
  /** How many records the account has in the zone, or more. */
  readonly records: number
  /** The account's records at the hosts that the batch touches. */
  readonly hosts: Map<string, StoredRecord[]>
  /** The hosts of these records, by id. */
  readonly hostOf: Map<number, string>
  /** The changes that created records, by the records' ids. */
  readonly createdBy: Map<number, number>
}

/**
 * Plans the changes of a batch in their order. The result is that of single changes one after the other, in one step.
 * @param records how many records the account has in the zone, or more
 * @param rows the account's records at every host that a change names, and at the host of every record that a change names
 * @throws ApiError `not_found` for a record that a change names and the zone does not have then; `bad_request` for one that
 *   conflicts with another record, or a zone beyond its cap. The message names the change
 */
export function planChanges(
  zone: PlannedZone,
  records: number,
  rows: readonly StoredRecord[],
  changes: readonly WantedChange[],
  cap: ZoneCap,
  now: string,
): RecordsPlan {
  const before: Picture = {
    zone,
    records,
    hosts: groupBy(rows, ({ host }) => host),
    hostOf: new Map(rows.map(({ id, host }) => [id, host])),
    createdBy: new Map(),
  }
  const after = changes.reduce((picture, change, position) => {
    const plan = nameCreated(picture, () => atChange(position, change.kind, () => planStep(picture, change, cap, now)))
    return applyStep(picture, plan, position)
  }, before)
  return planBetween(zone, rows, after)
}

/** The plan of one change, with the limits of the zone. */
function planStep({ zone, records, hosts, hostOf }: Picture, change: WantedChange, cap: ZoneCap, now: string): Plan {
  const at = (host: string) => hosts.get(host) ?? []
  const checked = <P extends Plan>(plan: P, field: string): P => {
    const growth = plan.added.length - plan.removed.length
    if (growth > 0) checkCount(records, growth, cap)
    checkBytes(zone, plan, field, cap)
    return plan
  }
  if (change.kind === 'replace') return checked(planRRset(zone, at(change.rrset.host), change.rrset, now), 'values')
  if (change.kind === 'create') {
    const plan = planCreate(zone, at(change.record.host), change.record, now)
    return checked(plan, largerField(plan))
  }
  const rows = at(hostOf.get(change.id) ?? '')
  const current = rows.find(({ id }) => id === change.id)
  if (current === undefined) throw noSuchId()
  if (change.kind === 'delete') return planDelete(zone, rows, current)
  // Before its other fields are checked.
  requireRecords(zone, { removed: [current] })
  const merged = mergeRecord(zone.zone, current, change.changes)
  const others = merged.host === current.host ? [] : at(merged.host)
  const plan = planUpdate(zone, [...rows, ...others], current, merged, now)
  return checked(plan, largerField(plan))
}

function noSuchId(): ApiError {
  const { code, message } = recordNotFound()
  return new ApiError(code, message, {}, {}, { field: 'id', problem: message })
}

/** Adds the effect of a change to the picture, whose maps it alters. */
function applyStep(picture: Picture, { removed, added, growth }: Plan, position: number): Picture {
  const { zone, hosts, hostOf, createdBy } = picture
  const gone = new Set(removed.map(({ id }) => id))
  for (const host of new Set(removed.map((record) => record.host)))
    hosts.set(
      host,
      (hosts.get(host) ?? []).filter(({ id }) => !gone.has(id)),
    )
  for (const { id } of removed) hostOf.delete(id)
  let lastId = zone.last_record_id
  for (const record of added) {
    const { id, host } = record
    const there = hosts.get(host)
    if (there === undefined) hosts.set(host, [record])
    else there.push(record)
    hostOf.set(id, host)
    if (id <= zone.last_record_id) continue
    createdBy.set(id, position)
    lastId = Math.max(lastId, id)
  }
  return {
    ...picture,
    zone: { ...zone, last_record_id: lastId, content_bytes: zone.content_bytes + growth },
    records: picture.records + added.length - removed.length,
  }
}

/** The difference between the records before the batch and after it. */
function planBetween(zone: PlannedZone, rows: readonly StoredRecord[], after: Picture): RecordsPlan {
  const rowsAfter = [...after.hosts.values()].flat().sort((a, b) => a.id - b.id)
  const before = new Map(rows.map((row) => [row.id, row]))
  const kept = new Map(rowsAfter.map((row) => [row.id, row]))
  const isChanged = (row: StoredRecord, other: StoredRecord | undefined) => other === undefined || !isSame(row, other)
  const removed = rows.filter((row) => isChanged(row, kept.get(row.id)))
  const added = rowsAfter.filter((row) => isChanged(row, before.get(row.id)))
  const touched = [...removed, ...added]
  return {
    ...zonePlan(zone, removed, added),
    step: touched.length === 0 ? 'none' : 'replace',
    created: after.zone.last_record_id - zone.last_record_id,
    before: touchedRRsets(zone.zone, touched, rows),
    after: touchedRRsets(zone.zone, touched, rowsAfter),
  }
}

/** As `rrsetsAfter`, in one pass over the rows: a batch touches up to thousands of RRsets. */
function touchedRRsets(zone: string, touched: readonly StoredRecord[], rows: readonly StoredRecord[]): RRset[] {
  const keyOf = ({ host, type }: StoredRecord) => `${host} ${type}`
  const sets = groupBy(rows, keyOf)
  const keys = new Map(touched.map((record) => [keyOf(record), record]))
  return Array.from(keys, ([key, { host, type }]) => rrsetOf(zone, host, type, sets.get(key) ?? []))
}

/** A record that is changed and changed back is the same, whatever its time of change. */
const isSame = (a: StoredRecord, b: StoredRecord): boolean =>
  a === b || (a.host === b.host && a.value === b.value && a.ttl === b.ttl && a.priority === b.priority)

/** Names records that the batch itself creates by their changes: their ids do not exist yet. */
function nameCreated<R>({ createdBy }: Picture, step: () => R): R {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const named = (text: string) =>
      text.replace(/(?<=\()id (\d+)(?=[,)])|(?<=duplicate of )record (\d+)(?=:)/, (given, id, record) => {
        const position = createdBy.get(Number(id ?? record))
        return position === undefined ? given : `changes[${position}]`
      })
    const { code, message, extra, headers, about } = error
    throw new ApiError(code, named(message), extra, headers, about && { ...about, problem: named(about.problem) })
  }
}
