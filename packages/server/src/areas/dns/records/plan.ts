import { ApiError, badRequest, notFound } from '@svc/contract/errors'
import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { RRset } from '../../../ports/dns/port.js'
import { forbiddenZone } from '../zones/forbidden-zone.js'
import type { CanonicalRecord, GivenChanges, StandingRecord } from './record.js'
import { mergeRecord } from './check.js'
import { contentBytes } from '../values/size.js'
import { planCreate, planUpdate, rrsetsAfter, withRecord, withoutRecord } from './rrset.js'

/** What a change of one record comes to: read and worked out here, written by store.ts. */

/** Whose zone; the name in canonical form. */
export interface ZoneKey {
  readonly accountId: number
  readonly zone: string
}

/** A record as its row has it. */
export interface StoredRecord extends StandingRecord {
  readonly created_at: string
  readonly updated_at: string
}

export interface Plan {
  readonly zoneId: number
  readonly accountId: number
  readonly zone: string
  /** Of the zone as it stands. */
  readonly serial: number
  /** `none`: what is asked for is so already. */
  readonly step: 'none' | 'insert' | 'update' | 'delete'
  /** As it will be; when deleted, as it was. */
  readonly record: StoredRecord
  /** Whether other records of its RRset take over its ttl. */
  readonly retimes: boolean
  /** By how many bytes the content of the zone grows; negative if it shrinks. */
  readonly growth: number
  /** The RRsets that it touches, before and after. */
  readonly before: readonly RRset[]
  readonly after: readonly RRset[]
}

/** How much a zone may hold. */
export interface Cap {
  readonly recordsMax: number
  /** The content of all its records, as `contentBytes` counts it. */
  readonly zoneBytesMax: number
}

/**
 * On PostgreSQL the zone and its claim are locked until the transaction ends, in this order: changes of one zone run one
 * after another. zones/holder.ts locks in the same order.
 */
const heldZone = prepared((db, p: ZoneKey, dialect) =>
  db
    .selectFrom('dns_claim')
    .innerJoin('dns_zone', 'dns_zone.name', 'dns_claim.zone')
    .where('dns_claim.account_id', '=', p.accountId)
    .where('dns_claim.zone', '=', p.zone)
    .where('dns_claim.status', '=', 'verified')
    .select(['dns_zone.id', 'dns_zone.serial', 'dns_zone.last_record_id', 'dns_zone.content_bytes'])
    .$if(dialect === 'postgres', (query) => query.forUpdate(['dns_zone', 'dns_claim'])),
)

export const recordColumns = ['id', 'type', 'host', 'value', 'ttl', 'priority', 'created_at', 'updated_at'] as const

/**
 * Ids from dns_record_by_host (zone_id, host), rows by the primary key: asked for the rows of a host at once, SQLite
 * would read the whole zone.
 */
const atHost = prepared((db, p: { zoneId: number; accountId: number; host: string }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('id', 'in', (of) =>
      of
        .selectFrom('dns_record as there')
        .where('zone_id', '=', p.zoneId)
        .where('account_id', '=', p.accountId)
        .where('host', '=', p.host)
        .select('there.id'),
    )
    .select(recordColumns)
    .orderBy('id'),
)

/** Served by the primary key (zone_id, id), as the next. */
const byId = prepared((db, p: { zoneId: number; accountId: number; id: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .where('id', '=', p.id)
    .select(recordColumns),
)

const count = prepared((db, p: { zoneId: number; accountId: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('account_id', '=', p.accountId)
    .select((of) => of.fn.countAll<number>().as('records')),
)

/** @throws ApiError `forbidden_zone` */
export async function zoneOf(reader: Reader, key: ZoneKey) {
  const zone = await reader.one(heldZone, key)
  if (zone === undefined) throw forbiddenZone(key.zone)
  return zone
}

async function standing(reader: Reader, zoneId: number, accountId: number, id: number): Promise<StoredRecord> {
  const record = await reader.one(byId, { zoneId, accountId, id })
  if (record === undefined) throw recordNotFound()
  return record
}

const recordsAt = (reader: Reader, { accountId }: ZoneKey, zoneId: number, host: string) =>
  reader.all(atHost, { zoneId, accountId, host })

export const recordNotFound = () => notFound('such record in this zone')

/** @throws ApiError `bad_request` for one that may not stand there, or one too many */
export async function plannedCreate(
  reader: Reader,
  key: ZoneKey,
  record: CanonicalRecord,
  now: string,
  cap: Cap,
): Promise<Plan> {
  const zone = await zoneOf(reader, key)
  const rows = await recordsAt(reader, key, zone.id, record.host)
  const plan = planCreate(rows, record)
  const same = plan.kind === 'same' ? rows.find(({ id }) => id === plan.id) : undefined
  if (same === undefined) {
    await refuseOneTooMany(reader, key, zone, cap)
    const created = { ...record, id: zone.last_record_id + 1, created_at: now, updated_at: now }
    return within(cap, zone, 'value', planOf(key, zone, 'insert', created, rows, [record]))
  }
  if (same.ttl === record.ttl) return planOf(key, zone, 'none', same, rows, [record])
  return planOf(key, zone, 'update', { ...same, ttl: record.ttl, updated_at: now }, rows, [record])
}

/** @throws ApiError `not_found`, or `bad_request` for what the record cannot become */
export async function plannedUpdate(
  reader: Reader,
  key: ZoneKey,
  id: number,
  changes: GivenChanges,
  now: string,
  cap: Cap,
): Promise<Plan> {
  const zone = await zoneOf(reader, key)
  const current = await standing(reader, zone.id, key.accountId, id)
  const merged = mergeRecord(key.zone, current, changes)
  const rows = await recordsAt(reader, key, zone.id, merged.host)
  const { kind } = planUpdate(rows, current, merged)
  const left = current.host === merged.host ? [] : await recordsAt(reader, key, zone.id, current.host)
  const after = kind === 'none' ? current : { ...current, ...merged, updated_at: now }
  const field = current.value === merged.value ? 'host' : 'value'
  return within(cap, zone, field, planOf(key, zone, kind, after, [...rows, ...left], [current, merged]))
}

/** @throws ApiError `not_found` */
export async function plannedDelete(reader: Reader, key: ZoneKey, id: number): Promise<Plan> {
  const zone = await zoneOf(reader, key)
  const current = await standing(reader, zone.id, key.accountId, id)
  const rows = await recordsAt(reader, key, zone.id, current.host)
  return planOf(key, zone, 'delete', current, rows, [current])
}

function planOf(
  { accountId, zone: name }: ZoneKey,
  zone: { id: number; serial: number },
  step: Plan['step'],
  record: StoredRecord,
  rows: readonly StoredRecord[],
  touched: readonly Pick<CanonicalRecord, 'host' | 'type'>[],
): Plan {
  const old = rows.find(({ id }) => id === record.id)
  const rowsAfter = step === 'delete' ? withoutRecord(rows, record.id) : withRecord(rows, record)
  return {
    zoneId: zone.id,
    accountId,
    zone: name,
    serial: zone.serial,
    step,
    record,
    retimes: step !== 'delete' && rows.some((row) => isMate(row, record) && row.ttl !== record.ttl),
    growth: (step === 'delete' ? 0 : contentBytes(record)) - (old === undefined ? 0 : contentBytes(old)),
    before: rrsetsAfter(name, touched, rows),
    after: rrsetsAfter(name, touched, rowsAfter),
  }
}

const isMate = (row: StandingRecord, { id, type, host }: StandingRecord) =>
  row.id !== id && row.type === type && row.host === host

/** @throws ApiError `bad_request` for a change that makes a zone exceed its limits; a zone above them may shrink */
function within({ zoneBytesMax }: Cap, zone: { readonly content_bytes: number }, field: string, plan: Plan): Plan {
  const bytes = zone.content_bytes + plan.growth
  if (plan.growth > 0 && bytes > zoneBytesMax)
    throw badRequest(
      field,
      `would bring the values and hosts of the zone's records to ${bytes} bytes; ` +
        `a zone holds at most ${zoneBytesMax}: delete some first.`,
    )
  return plan
}

async function refuseOneTooMany(
  reader: Reader,
  { accountId }: ZoneKey,
  zone: { readonly id: number; readonly last_record_id: number },
  { recordsMax }: Cap,
): Promise<void> {
  // Ids only grow: as long as the last one is below the cap, so is the number of records, which need not be counted.
  if (zone.last_record_id < recordsMax) return
  const { records = 0 } = (await reader.one(count, { zoneId: zone.id, accountId })) ?? {}
  if (records < recordsMax) return
  throw new ApiError('bad_request', `The zone holds ${records} records, and may hold ${recordsMax}: delete some first.`)
}
