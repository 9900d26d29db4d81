import { badRequest } from '@svc/contract/errors'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { checkAlias, type Plan, type PlannedZone } from './plan.js'
import type { StoredRecord, WantedRRset } from './record.js'
import { contentBytes, isSameRRset, rrsetBytes, rrsetOf } from './rrset.js'

/** The computed effect of replacing all records of one host and type. */
export interface RRsetPlan extends Plan {
  /** `none`: a no-op. */
  readonly step: 'none' | 'replace'
  readonly created: readonly StoredRecord[]
  /** Records that keep their values, and get another ttl or priority. */
  readonly changed: readonly StoredRecord[]
  readonly deleted: readonly StoredRecord[]
}

/**
 * Plans the replacement of an RRset. A record whose value is wanted keeps its id and its time of creation.
 * @param rows the account's records at the host
 * @throws ApiError `bad_request` for values that conflict with each other, or with records of other types
 */
export function planRRset(
  { accountId, zone, id: zoneId, serial, last_record_id }: PlannedZone,
  rows: readonly StoredRecord[],
  wanted: WantedRRset,
  now: string,
): RRsetPlan {
  const { type, host, ttl, priority } = wanted
  const others = rows.filter((row) => !isSameRRset(row, wanted))
  checkRRset(others, wanted)
  const existing = rows.filter((row) => isSameRRset(row, wanted))
  // Of several with one value and other priorities, the first one is kept.
  const byValue = new Map(existing.toReversed().map((row) => [row.value, row]))
  let lastId = last_record_id
  const after = wanted.values.map((value): StoredRecord => {
    const row = byValue.get(value)
    if (row === undefined) return { id: ++lastId, type, host, value, ttl, priority, created_at: now, updated_at: now }
    return row.ttl === ttl && row.priority === priority ? row : { ...row, ttl, priority, updated_at: now }
  })
  const created = after.filter(({ id }) => id > last_record_id)
  const changed = after.filter((row) => row.id <= last_record_id && row !== byValue.get(row.value))
  const kept = new Set(after.map(({ id }) => id))
  const deleted = existing.filter(({ id }) => !kept.has(id))
  return {
    zoneId,
    accountId,
    zone,
    serial,
    step: created.length + changed.length + deleted.length === 0 ? 'none' : 'replace',
    created,
    changed,
    deleted,
    growth: bytesOf(created) - bytesOf(deleted),
    before: [rrsetOf(zone, host, type, existing)],
    after: [rrsetOf(zone, host, type, after)],
  }
}

const bytesOf = (records: readonly StoredRecord[]): number =>
  records.reduce((sum, record) => sum + contentBytes(record), 0)

function checkRRset(others: readonly StoredRecord[], wanted: WantedRRset): void {
  const { type, host, values } = wanted
  checkAlias(others, wanted)
  if (type === 'CNAME' && values.length > 1)
    throw badRequest('values', 'must be one name: a name can have only one CNAME')
  if (type === 'MX' && values.length > 1 && values.includes(nullMx))
    throw badRequest('values', 'has ".", the null MX. It cannot share a name with other MX records')
  const bytes = rrsetBytes(values.map((value) => ({ ...wanted, value })))
  if (bytes > rrsetMaxBytes)
    throw badRequest(
      'values',
      `would bring the ${type} records at host ${host} to ${bytes} bytes; one DNS answer carries at most ${rrsetMaxBytes}`,
    )
}
