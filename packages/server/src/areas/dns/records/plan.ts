import { ApiError, badRequest } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'
import { contentBytes } from '../values/size.js'
import type { ZoneKey, ZoneRow } from '../zones/verified-store.js'
import type { CanonicalRecord, StoredRecord } from './record.js'
import { checkNew, checkUpdated, isSameRRset, rrsetsAfter, withoutRecord, withRecord } from './rrset.js'

/** Plans: the computed effects of record changes. Pure: change-store.ts reads the rows and applies the plan. */

/** The computed effect of one record change. */
export interface RecordPlan {
  readonly zoneId: number
  readonly accountId: number
  readonly zone: string
  /** The zone's serial before the change; once the plan is applied, the new one. */
  readonly serial: number
  /** `none`: a no-op. */
  readonly step: 'none' | 'insert' | 'update' | 'delete'
  /** The record after the change; for a deletion, the deleted record. */
  readonly record: StoredRecord
  /** The record before the change; undefined for a new one. */
  readonly previous: StoredRecord | undefined
  /** Whether other records of the RRset get the record's ttl. */
  readonly changesTtl: boolean
  /** By how many bytes the content of the zone grows; negative if it shrinks. */
  readonly growth: number
  /** The RRsets that the change touches, before and after it. */
  readonly before: readonly RRset[]
  readonly after: readonly RRset[]
}

/** The limits of a zone. */
export interface ZoneCap {
  readonly recordsMax: number
  /** The content of all its records, as `contentBytes` counts it. */
  readonly zoneBytesMax: number
}

/** The zone of a plan: its key and its row. */
export type PlannedZone = ZoneKey & ZoneRow

/**
 * Plans a new record. If the record exists, the plan only changes the ttl of its RRset.
 * @param rows the account's records at the record's host
 * @throws ApiError `bad_request` for a record that conflicts with another one
 */
export function planCreate(
  zone: PlannedZone,
  rows: readonly StoredRecord[],
  record: CanonicalRecord,
  now: string,
): RecordPlan {
  const same = checkNew(rows, record)
  if (same === undefined) {
    const created = { ...record, id: zone.last_record_id + 1, created_at: now, updated_at: now }
    return planOf(zone, 'insert', created, rows, [record])
  }
  if (same.ttl === record.ttl) return planOf(zone, 'none', same, rows, [record])
  return planOf(zone, 'update', { ...same, ttl: record.ttl, updated_at: now }, rows, [record])
}

/**
 * Plans an update of `current` to `merged`.
 * @param rows the account's records at both hosts
 * @throws ApiError `bad_request` for a record that conflicts with another one, or duplicates it
 */
export function planUpdate(
  zone: PlannedZone,
  rows: readonly StoredRecord[],
  current: StoredRecord,
  merged: CanonicalRecord,
  now: string,
): RecordPlan {
  const atHost = rows.filter(({ host }) => host === merged.host)
  const touched = [current, merged]
  if (!checkUpdated(atHost, current, merged)) return planOf(zone, 'none', current, rows, touched)
  return planOf(zone, 'update', { ...current, ...merged, updated_at: now }, rows, touched)
}

/** Plans a deletion. @param rows the account's records at the record's host */
export const planDelete = (zone: PlannedZone, rows: readonly StoredRecord[], current: StoredRecord): RecordPlan =>
  planOf(zone, 'delete', current, rows, [current])

function planOf(
  { accountId, zone, id: zoneId, serial }: PlannedZone,
  step: RecordPlan['step'],
  record: StoredRecord,
  rows: readonly StoredRecord[],
  touched: readonly Pick<CanonicalRecord, 'host' | 'type'>[],
): RecordPlan {
  const previous = rows.find(({ id }) => id === record.id)
  const rowsAfter = step === 'delete' ? withoutRecord(rows, record.id) : withRecord(rows, record)
  const hasOtherTtl = (row: StoredRecord) => row.id !== record.id && isSameRRset(row, record) && row.ttl !== record.ttl
  return {
    ...{ zoneId, accountId, zone, serial, step, record, previous },
    changesTtl: step !== 'delete' && rows.some(hasOtherTtl),
    growth: (step === 'delete' ? 0 : contentBytes(record)) - (previous === undefined ? 0 : contentBytes(previous)),
    before: rrsetsAfter(zone, touched, rows),
    after: rrsetsAfter(zone, touched, rowsAfter),
  }
}

/** @throws ApiError `bad_request` when the zone is full */
export function checkCount(records: number, { recordsMax }: ZoneCap): void {
  if (records < recordsMax) return
  throw new ApiError('bad_request', `The zone holds ${records} records, and may hold ${recordsMax}: delete some first.`)
}

/** @throws ApiError `bad_request` when the change makes the zone larger than its limit. A zone above the limit may shrink. */
export function checkBytes(
  zone: PlannedZone,
  { growth, record, previous }: RecordPlan,
  { zoneBytesMax }: ZoneCap,
): void {
  const bytes = zone.content_bytes + growth
  if (growth <= 0 || bytes <= zoneBytesMax) return
  throw badRequest(
    previous?.value === record.value ? 'host' : 'value',
    `would bring the values and hosts of the zone's records to ${bytes} bytes; ` +
      `a zone holds at most ${zoneBytesMax}: delete some first`,
  )
}
