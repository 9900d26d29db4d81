import { ApiError, badRequest } from '@svc/contract/errors'
import type { RRset } from '../../../ports/dns/port.js'
import { limitsOf } from '../../../shared/account-limits.js'
import type { Account } from '../../../shared/account.js'
import { requireRecords } from '../zones/record-rules.js'
import type { RuledZoneKey, ZoneRow } from '../zones/verified-store.js'
import { checkNew, checkUpdated } from './conflicts.js'
import { HostIndex } from './host-index.js'
import type { CanonicalRecord, StoredRecord } from './record.js'
import { allContentBytes, isSameRRset, rrsetsAfter, withoutRecord, withRecord } from './rrset.js'

/**
 * Plans: the computed effects of record changes, and the rules that reject them. Pure: store.ts reads the rows and applies
 * the plan.
 */

/** What every change of a zone's records has: `zonePlan` makes it, before anything is stored or published. */
export interface ZonePlan {
  readonly zoneId: number
  readonly accountId: number
  readonly zone: string
  /** The zone's serial before the change; once the plan is applied, the new one. */
  readonly serial: number
  /** Records as they were: those that the change deletes or alters. */
  readonly removed: readonly StoredRecord[]
  /** Records as they will be: those that the change creates or alters. An altered one keeps its id. */
  readonly added: readonly StoredRecord[]
  /** By how many bytes the content of the zone grows; negative if it shrinks. */
  readonly growth: number
}

/** The same with the RRsets that the change touches. */
export interface Plan extends ZonePlan {
  /** The RRsets before and after the change. */
  readonly before: readonly RRset[]
  readonly after: readonly RRset[]
}

/** The computed effect of one record change. */
export interface RecordPlan extends Plan {
  /** `none`: a no-op. */
  readonly step: 'none' | 'insert' | 'update' | 'delete'
  /** The record after the change; for a deletion, the deleted record. */
  readonly record: StoredRecord
  /** The record before the change; undefined for a new one. */
  readonly previous: StoredRecord | undefined
  /** The ids of the other records of the RRset that get the record's ttl. */
  readonly ttlChanged: readonly number[]
}

/** The computed effect of a change of several records. */
export interface RecordsPlan extends Plan {
  /** `none`: a no-op. */
  readonly step: 'none' | 'replace'
  /** How many ids the zone assigns. */
  readonly created: number
}

/** The limits of a zone. */
export interface ZoneCap {
  readonly recordsMax: number
  /** The content of all its records, as `contentBytes` counts it. */
  readonly zoneBytesMax: number
}

/** The limits that apply to the zones of an account. */
export const zoneCapOf = (account: Account, settings: ZoneCap): ZoneCap =>
  limitsOf(account, settings, { recordsMax: 'records', zoneBytesMax: 'zone_bytes' })

/** The zone of a plan: its key and its row. */
export type PlannedZone = RuledZoneKey & ZoneRow

/** A change of a zone's records. Every plan is made of one. */
export const zonePlan = (
  { accountId, zone, id: zoneId, serial }: PlannedZone,
  removed: readonly StoredRecord[],
  added: readonly StoredRecord[],
): ZonePlan => ({
  zoneId,
  accountId,
  zone,
  serial,
  removed,
  added,
  growth: allContentBytes(added) - allContentBytes(removed),
})

/**
 * Plans a new record. If the record exists, the plan only changes the ttl of its RRset.
 * @param rows the account's records at the record's host
 * @throws ApiError `forbidden_zone` by the rules of the caller's token; `bad_request` for a record that conflicts with another one
 */
export function planCreate(
  zone: PlannedZone,
  rows: readonly StoredRecord[],
  record: CanonicalRecord,
  now: string,
): RecordPlan {
  requireRecords(zone, { added: [record] })
  const same = checkNew(new HostIndex(rows), record)
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
 * @throws ApiError as `planCreate`; `bad_request` also for a record that duplicates another one
 */
export function planUpdate(
  zone: PlannedZone,
  rows: readonly StoredRecord[],
  current: StoredRecord,
  merged: CanonicalRecord,
  now: string,
): RecordPlan {
  requireRecords(zone, { removed: [current], added: [merged] })
  const atHost = rows.filter(({ host }) => host === merged.host)
  const touched = [current, merged]
  if (!checkUpdated(new HostIndex(atHost), current, merged)) return planOf(zone, 'none', current, rows, touched)
  return planOf(zone, 'update', { ...current, ...merged, updated_at: now }, rows, touched)
}

/** Plans a deletion. @param rows the account's records at the record's host @throws ApiError `forbidden_zone` as `planCreate` */
export function planDelete(zone: PlannedZone, rows: readonly StoredRecord[], current: StoredRecord): RecordPlan {
  requireRecords(zone, { removed: [current] })
  return planOf(zone, 'delete', current, rows, [current])
}

function planOf(
  planned: PlannedZone,
  step: RecordPlan['step'],
  record: StoredRecord,
  rows: readonly StoredRecord[],
  touched: readonly Pick<CanonicalRecord, 'host' | 'type'>[],
): RecordPlan {
  const { zone } = planned
  const previous = rows.find(({ id }) => id === record.id)
  const hasOtherTtl = (row: StoredRecord) => row.id !== record.id && isSameRRset(row, record) && row.ttl !== record.ttl
  const others = step === 'insert' || step === 'update' ? rows.filter(hasOtherTtl) : []
  const { ttl, updated_at } = record
  const removed = step === 'none' || previous === undefined ? others : [previous, ...others]
  const added =
    step === 'none' || step === 'delete' ? [] : [record, ...others.map((row) => ({ ...row, ttl, updated_at }))]
  return {
    ...zonePlan(planned, removed, added),
    step,
    record,
    previous,
    ttlChanged: others.map(({ id }) => id),
    // Computed when they are read: a batch reads only those of the whole.
    get before() {
      return rrsetsAfter(zone, touched, rows)
    },
    get after() {
      return rrsetsAfter(zone, touched, step === 'delete' ? withoutRecord(rows, record.id) : withRecord(rows, record))
    },
  }
}

/** @param added how many records the change adds @throws ApiError `bad_request` when the zone is full */
export function checkCount(records: number, added: number, { recordsMax }: ZoneCap): void {
  if (records + added <= recordsMax) return
  const more = added === 1 ? 'the maximum' : `and at most ${recordsMax}, so not ${added} more`
  throw new ApiError('bad_request', `The zone has ${records} records, ${more}: delete some first.`)
}

/**
 * @param field of the input, which the message names
 * @throws ApiError `bad_request` when the change makes the zone larger than its limit. A zone above the limit may shrink.
 */
export function checkBytes(
  zone: Pick<ZoneRow, 'content_bytes'>,
  { growth }: Pick<ZonePlan, 'growth'>,
  field: string,
  { zoneBytesMax }: ZoneCap,
): void {
  const bytes = zone.content_bytes + growth
  if (growth <= 0 || bytes <= zoneBytesMax) return
  throw badRequest(
    field,
    `would bring the values and hosts of the zone's records to ${bytes} bytes; ` +
      `a zone holds at most ${zoneBytesMax}: delete some first`,
  )
}

/** The field of the input that makes the zone larger. */
export const largerField = ({ record, previous }: RecordPlan): string =>
  previous?.value === record.value ? 'host' : 'value'
