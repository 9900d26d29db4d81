import { isDeepStrictEqual } from 'node:util'
import { badRequest } from '@svc/contract/errors'
import { recordTypes, recordValueMaxLength } from '@svc/contract/limits'
import { count, id, integer, nullable, oneOf, text, time, timeText } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { checkRecord } from './records/check.js'
import { zoneName } from './zones/name.js'

const name = text(253)

function requireCanonical(field: string, zone: string): void {
  if (zoneName(zone) !== zone) throw badRequest(field, 'must be in lower case, without a dot at its end')
}

/** A number of a record in its zone: far below the largest exact integer, because an import adds the numbers of two zones. */
const recordId = integer(1, 1_000_000_000_000)

const dns_claim: RowRule<'dns_claim'> = {
  columns: {
    ...{ id, account_id: id, zone: name, status: oneOf(['verified', 'pending']), method: oneOf(['auto', 'txt', 'ns']) },
    ...{ txt_value: nullable(text(64, /^[\w-]+$/)), created_at: time },
  },
  request: ({ zone }) => ({ operation: 'dns.zoneClaim', body: { zone } }),
  check: ({ zone }) => requireCanonical('zone', zone),
}

const dns_zone: RowRule<'dns_zone'> = {
  columns: {
    ...{ id, name, serial: integer(0, 0xffff_ffff), version: integer(0, Number.MAX_SAFE_INTEGER) },
    ...{ last_record_id: integer(0, 1_000_000_000_000), holder_id: nullable(id), content_bytes: count },
    deleted_at: nullable(time),
  },
  check: (row) => requireCanonical('name', row.name),
}

const dns_record: RowRule<'dns_record'> = {
  columns: {
    ...{ zone_id: id, id: recordId, account_id: nullable(id), type: oneOf(recordTypes), host: name },
    ...{ value: text(recordValueMaxLength), ttl: count, priority: nullable(count) },
    ...{ created_at: timeText, updated_at: timeText },
  },
  check: ({ zone_id: zoneId, type, host, value, ttl, priority }, { zoneOf }) => {
    const zone = zoneOf(zoneId)
    if (zone === undefined) throw badRequest('zone_id', 'must be the id of a zone')
    const given = { type, host, value, ttl, priority }
    const checked = checkRecord(zone, { type, host, value, ttl, ...(priority !== null && { priority }) })
    if (!isDeepStrictEqual(checked, given)) throw badRequest('value', 'and the other fields must be in canonical form')
  },
}

export const dnsRowRules = { dns_claim, dns_zone, dns_record }
