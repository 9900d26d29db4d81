import { badRequest } from '@svc/contract/errors'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { rrsetMaxBytes } from '../../../ports/dns/types/rrset-limit.js'
import { requireRecords } from '../zones/record-rules.js'
import { checkAlias } from './conflicts.js'
import { HostIndex } from './host-index.js'
import { zonePlan, type PlannedZone, type RecordsPlan } from './plan.js'
import type { StoredRecord, WantedRRset } from './record.js'
import { isSameRRset, rrsetBytes, rrsetOf } from './rrset.js'

/**
 * Plans the replacement of an RRset. A record whose value is wanted keeps its id and its time of creation.
 * @param rows the account's records at the host
 * @throws ApiError `forbidden_zone` by the rules of the caller's token; `bad_request` for values that conflict with each other, or with records of other types
 */
export function planRRset(
  planned: PlannedZone,
  rows: readonly StoredRecord[],
  wanted: WantedRRset,
  now: string,
): RecordsPlan {
  const { zone, last_record_id } = planned
  const { type, host } = wanted
  const existing = rows.filter((row) => isSameRRset(row, wanted))
  const { after, removed, added, lastId } = replaceRecordsOf(planned, new HostIndex(rows), existing, wanted, now)
  return {
    ...zonePlan(planned, removed, added),
    step: removed.length + added.length === 0 ? 'none' : 'replace',
    created: lastId - last_record_id,
    before: [rrsetOf(zone, host, type, existing)],
    after: [rrsetOf(zone, host, type, after)],
  }
}

/** The effect of a replacement. */
interface Replaced {
  readonly after: readonly StoredRecord[]
  readonly removed: readonly StoredRecord[]
  readonly added: readonly StoredRecord[]
  /** The highest id that the zone has assigned then. */
  readonly lastId: number
}

/**
 * The records of an RRset that is replaced.
 * @param atHost the account's records at the host
 * @param existing those of the RRset, by id
 * @throws ApiError as `planRRset`
 */
export function replaceRecordsOf(
  planned: PlannedZone,
  atHost: HostIndex<StoredRecord>,
  existing: readonly StoredRecord[],
  wanted: WantedRRset,
  now: string,
): Replaced {
  const { type, host, ttl, priority } = wanted
  // Those that it removes have its host and type too.
  requireRecords(planned, { added: [wanted] })
  checkRRset(atHost, wanted)
  // Of several with one value and other priorities, the first one is kept.
  const byValue = new Map(existing.toReversed().map((row) => [row.value, row]))
  let lastId = planned.last_record_id
  const after = wanted.values.map((value): StoredRecord => {
    const row = byValue.get(value)
    if (row === undefined) return { id: ++lastId, type, host, value, ttl, priority, created_at: now, updated_at: now }
    return row.ttl === ttl && row.priority === priority ? row : { ...row, ttl, priority, updated_at: now }
  })
  const kept = new Set(after)
  const before = new Set(existing)
  return {
    after,
    removed: existing.filter((row) => !kept.has(row)),
    added: after.filter((row) => !before.has(row)),
    lastId,
  }
}

function checkRRset(atHost: HostIndex<StoredRecord>, wanted: WantedRRset): void {
  const { type, host, values } = wanted
  checkAlias(atHost, wanted, { type })
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
