import { ApiError } from '@svc/contract/errors'
import { isNewerSerial } from '../../../ports/dns/serial.js'
import { checkNew } from '../records/conflicts.js'
import { checkLimits, planStep, planSteps } from '../records/plan-changes.js'
import { zonePlan, type PlannedZone, type RecordsPlan, type ZoneCap } from '../records/plan.js'
import type { PlannedRecords, StepEffect } from '../records/planned-records.js'
import type { CanonicalRecord, StoredRecord } from '../records/record.js'
import { requireRecords } from '../zones/record-rules.js'
import { checkPrerequisites } from './prerequisites.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import type { UpdateStep, WantedUpdate } from './update.js'

/** The computed effect of an update. If its code is not `noError`, it changes nothing. */
export interface UpdatePlan extends RecordsPlan {
  readonly rcode: Rcode
}

/**
 * Plans an update in one step: its prerequisites, then its changes in their order (RFC 2136, sections 3.2 and 3.4.2). The computation can
 * be interrupted as that of `planChanges`.
 * @param records how many records the account has in the zone, or more
 * @param rows the account's records at every host that the update names, by id
 * @throws ApiError `bad_request` for a change that svc refuses, `forbidden_zone` by the rules of the key: then nothing is changed
 */
export function* planUpdate(
  zone: PlannedZone,
  records: number,
  rows: readonly StoredRecord[],
  { prerequisites, refusal, steps }: WantedUpdate,
  cap: ZoneCap,
  now: string,
): Generator<undefined, UpdatePlan> {
  const code = checkPrerequisites(prerequisites, zone.serial, rows)
  if (code !== rcode.noError) return unchanged(zone, code)
  if (refusal !== undefined) return unchanged(zone, refusal.rcode)
  const applied = steps.map((step, position) => (planned: PlannedRecords) => {
    for (const effect of effectsOf(planned, step, cap, now)) planned.apply(effect, position)
  })
  return { ...(yield* planSteps(zone, records, rows, applied, now)), rcode: code }
}

const unchanged = (zone: PlannedZone, code: Rcode): UpdatePlan => ({
  ...{ ...zonePlan(zone, [], []), step: 'none', created: 0, before: [], after: [] },
  rcode: code,
})

/** Each effect is applied before the next is computed. */
function* effectsOf(planned: PlannedRecords, step: UpdateStep, cap: ZoneCap, now: string): Generator<StepEffect> {
  if (step.kind === 'add') {
    const { record } = step
    // Of a CNAME there is one: a new one takes its place (RFC 2136, section 3.4.2.2).
    const [alias] = record.type === 'CNAME' ? planned.setAt(record) : []
    if (alias !== undefined && alias.value !== record.value)
      yield planStep(planned, { kind: 'delete', id: alias.id }, cap, now)
    yield additionOf(planned, record, cap, now)
  } else if (step.kind === 'serial') {
    // An older one is ignored (RFC 2136, section 3.4.2.2).
    if (isNewerSerial(step.serial, planned.zone.serial))
      throw new ApiError('bad_request', 'svc sets the SOA record of the zone itself.')
  } else {
    for (const { id } of removedBy(planned, step)) yield planStep(planned, { kind: 'delete', id }, cap, now)
  }
}

/** Deletions of records that do not exist are without effect (RFC 2136, sections 3.4.2.3 and 3.4.2.4). */
function removedBy(
  planned: PlannedRecords,
  step: Exclude<UpdateStep, { kind: 'add' | 'serial' }>,
): readonly StoredRecord[] {
  const there = planned.at(step.host)
  if (step.kind === 'deleteName') return [...there.records()]
  if (step.kind === 'deleteRRset') return [...there.records(step.type)]
  const { host, type, value, priority } = step
  return [there.duplicateOf({ host, type, value, priority, ttl: 0 })].filter((record) => record !== undefined)
}

function additionOf(planned: PlannedRecords, record: CanonicalRecord, cap: ZoneCap, now: string): StepEffect {
  // Clients delete an RRset and add it again: a record that the update has removed comes back as it was.
  const former = planned.removedLike(record)
  if (former === undefined || planned.at(record.host).duplicateOf(record) !== undefined)
    return planStep(planned, { kind: 'create', record }, cap, now)
  requireRecords(planned.zone, { added: [record] })
  checkNew(planned.at(record.host), record)
  return checkLimits(planned, { removed: [], added: [{ ...former, ttl: record.ttl, updated_at: now }] }, 'value', cap)
}
