import { ApiError } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'
import { requireRecords } from '../zones/record-rules.js'
import { mergeRecord } from './check.js'
import { checkNew, checkUpdated } from './conflicts.js'
import { replaceRecordsOf } from './plan-rrset.js'
import { checkBytes, checkCount, zonePlan, type PlannedZone, type RecordsPlan, type ZoneCap } from './plan.js'
import { byId, growthOf, PlannedRecords, type StepEffect, type TouchedSet } from './planned-records.js'
import { recordNotFound, type CanonicalRecord, type GivenChanges, type StoredRecord } from './record.js'
import { rrsetOf } from './rrset.js'
import { atChange, type WantedChange } from './wanted-changes.js'

/**
 * Plans the changes of a batch in their order. The result is that of single changes one after the other, in one step. The computation
 * can be interrupted after each record that it reads, each change and each RRset.
 * @param records how many records the account has in the zone, or more
 * @param rows the account's records at every host that a change names, and at the host of every record that a change names, by id
 * @throws ApiError `not_found` for a record that a change names and the zone does not have then; `bad_request` for one that
 *   conflicts with another record, or a zone beyond its cap. The message names the change
 */
export function* planChanges(
  zone: PlannedZone,
  records: number,
  rows: readonly StoredRecord[],
  changes: readonly WantedChange[],
  cap: ZoneCap,
  now: string,
): Generator<undefined, RecordsPlan> {
  const steps = changes.map((change, position) => (planned: PlannedRecords) => {
    try {
      atChange(position, change.kind, () => planned.apply(planStep(planned, change, cap, now), position))
    } catch (error) {
      throw error instanceof ApiError ? planned.nameCreated(error) : error
    }
  })
  return yield* planSteps(zone, records, rows, steps, now)
}

/**
 * Plans steps, each of which depends on the records that the steps before it leave. The parameters are those of `planChanges`.
 * @param steps each applies its effect
 * @throws as a step
 */
export function* planSteps(
  zone: PlannedZone,
  records: number,
  rows: readonly StoredRecord[],
  steps: readonly ((planned: PlannedRecords) => void)[],
  now: string,
): Generator<undefined, RecordsPlan> {
  const planned = new PlannedRecords(zone, records)
  for (const row of rows) {
    planned.add(row)
    yield
  }
  for (const step of steps) {
    step(planned)
    yield
  }
  return yield* planBetween(zone, planned, now)
}

/** Checks that the zone stays within its limits. @param field of the input, which the message names */
export function checkLimits(planned: PlannedRecords, effect: StepEffect, field: string, cap: ZoneCap): StepEffect {
  const growth = effect.added.length - effect.removed.length
  if (growth > 0) checkCount(planned.count, growth, cap)
  checkBytes(planned.zone, { growth: growthOf(effect) }, field, cap)
  return effect
}

/** The effect of one change, with the limits of the zone. */
export function planStep(planned: PlannedRecords, change: WantedChange, cap: ZoneCap, now: string): StepEffect {
  const { zone } = planned
  const checked = (effect: StepEffect, field: string): StepEffect => checkLimits(planned, effect, field, cap)
  if (change.kind === 'create') return checked(planNew(planned, change.record, now), 'value')
  if (change.kind === 'replace') {
    const { rrset } = change
    return checked(replaceRecordsOf(zone, planned.at(rrset.host), planned.setAt(rrset), rrset, now), 'values')
  }
  const current = planned.get(change.id)
  if (current === undefined) throw noSuchId()
  // Before its other fields are checked.
  requireRecords(zone, { removed: [current] })
  if (change.kind === 'delete') return { removed: [current], added: [] }
  const effect = planChanged(planned, current, change.changes, now)
  return checked(effect, effect.added[0]?.value === current.value ? 'host' : 'value')
}

function planNew(planned: PlannedRecords, record: CanonicalRecord, now: string): StepEffect {
  const { zone } = planned
  requireRecords(zone, { added: [record] })
  const same = checkNew(planned.at(record.host), record)
  if (same === undefined)
    return { removed: [], added: [{ ...record, id: zone.last_record_id + 1, created_at: now, updated_at: now }] }
  return changed(same, same.ttl === record.ttl ? same : { ...same, ttl: record.ttl, updated_at: now })
}

function planChanged(planned: PlannedRecords, current: StoredRecord, given: GivenChanges, now: string): StepEffect {
  const { zone } = planned
  const merged = mergeRecord(zone.zone, current, given)
  requireRecords(zone, { added: [merged] })
  const isChanged = checkUpdated(planned.at(merged.host), current, merged)
  return changed(current, isChanged ? { ...current, ...merged, updated_at: now } : current)
}

const changed = (before: StoredRecord, after: StoredRecord): StepEffect =>
  before === after ? { removed: [], added: [] } : { removed: [before], added: [after] }

function noSuchId(): ApiError {
  const { code, message } = recordNotFound()
  return new ApiError(code, message, {}, {}, { field: 'id', problem: message })
}

/** The difference between the records before the batch and after it. */
function* planBetween(zone: PlannedZone, planned: PlannedRecords, now: string): Generator<undefined, RecordsPlan> {
  const removed: StoredRecord[] = []
  const added: StoredRecord[] = []
  const before: RRset[] = []
  const after: RRset[] = []
  for (const set of planned.touchedSets()) {
    const difference = differenceOf(set, now)
    for (const record of difference.removed) removed.push(record)
    for (const record of difference.added) added.push(record)
    if (difference.removed.length + difference.added.length > 0) {
      before.push(rrsetOf(zone.zone, set.host, set.type, set.rows))
      after.push(rrsetOf(zone.zone, set.host, set.type, set.after))
    }
    yield
  }
  return {
    ...zonePlan(zone, [], []),
    removed: removed.sort(byId),
    added: added.sort(byId),
    growth: planned.zone.content_bytes - zone.content_bytes,
    step: removed.length + added.length === 0 ? 'none' : 'replace',
    created: planned.zone.last_record_id - zone.last_record_id,
    before,
    after,
  }
}

/** The records of an RRset that a batch changes. Those that only get another ttl do not have the time of the change yet. */
function differenceOf({ rows, after }: TouchedSet, now: string): StepEffect {
  const before = new Map(rows.map((row) => [row.id, row]))
  const kept = new Map(after.map((row) => [row.id, row]))
  const isChanged = (row: StoredRecord, other: StoredRecord | undefined) => other === undefined || !isSame(row, other)
  return {
    removed: rows.filter((row) => isChanged(row, kept.get(row.id))),
    added: after
      .filter((row) => isChanged(row, before.get(row.id)))
      .map((row) => (row.updated_at === now ? row : { ...row, updated_at: now })),
  }
}

/** A record that is changed and changed back is the same, whatever its time of change. */
const isSame = (a: StoredRecord, b: StoredRecord): boolean =>
  a === b || (a.host === b.host && a.value === b.value && a.ttl === b.ttl && a.priority === b.priority)
