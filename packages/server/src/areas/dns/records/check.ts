import type { RecordType } from '@svc/contract'
import { badRequest } from '@svc/contract/errors'
import { priorityMax, ttlDefault, ttlMax, ttlMin } from '@svc/contract/limits'
import { ipv4Value, ipv6Value } from '../values/address.js'
import { caaValue } from '../values/caa.js'
import { fullName, hostName } from '../values/host.js'
import type { CanonicalRecord, GivenChanges, GivenRecord } from './record.js'
import { aliasTarget, mailTarget, hostTarget } from '../values/target.js'
import { valueMaxLength } from '../values/size.js'
import { srvValue } from '../values/srv.js'
import { textValue } from '../values/text.js'

/**
 * A new record in canonical form.
 * @param zone canonical
 * @throws ApiError `bad_request`
 */
export function checkRecord(zone: string, { type, host, value, ttl, priority }: GivenRecord): CanonicalRecord {
  return together(zone, {
    type,
    host: hostName(zone, host ?? '@'),
    value: canonicalValue(type, value),
    ttl: checkTtl(ttl ?? ttlDefault),
    priority: priorityFor(type, priority),
  })
}

/**
 * What a record becomes: only supplied fields change.
 * @throws ApiError `bad_request`
 */
export function mergeRecord(zone: string, current: CanonicalRecord, changes: GivenChanges): CanonicalRecord {
  const { type } = current
  if (changes.type !== undefined && changes.type !== type)
    throw badRequest('type', `cannot be changed from ${type} to ${changes.type}: delete the record and create another.`)
  return together(zone, {
    type,
    host: changes.host === undefined ? current.host : hostName(zone, changes.host),
    value: changes.value === undefined ? current.value : canonicalValue(type, changes.value),
    ttl: changes.ttl === undefined ? current.ttl : checkTtl(changes.ttl),
    priority: priorityFor(type, changes.priority ?? current.priority ?? undefined),
  })
}

/** One value in the one form it is kept in: see `CanonicalRecord`. */
function canonicalValue(type: RecordType, given: string): string {
  if (given === '') throw badRequest('value', 'must not be empty.')
  if (given.length > valueMaxLength)
    throw badRequest('value', `must have at most ${valueMaxLength} characters, not ${given.length}.`)
  switch (type) {
    case 'A':
      return ipv4Value(given)
    case 'AAAA':
      return ipv6Value(given)
    case 'CNAME':
    case 'PTR':
      return aliasTarget(given)
    case 'NS':
      return hostTarget(given)
    case 'MX':
      return mailTarget(given)
    case 'SRV':
      return srvValue(given)
    case 'CAA':
      return caaValue(given)
    case 'TXT':
    case 'SPF':
      return textValue(given)
  }
}

function checkTtl(ttl: number): number {
  if (Number.isInteger(ttl) && ttl >= ttlMin && ttl <= ttlMax) return ttl
  throw badRequest('ttl', `must be a whole number of seconds from ${ttlMin} to ${ttlMax}, not ${ttl}.`)
}

/** MX and SRV need a priority of 16 bits (RFC 1035, section 3.3.9; RFC 2782); for other types it is ignored. */
function priorityFor(type: RecordType, given: number | undefined): number | null {
  if (type !== 'MX' && type !== 'SRV') return null
  if (given === undefined) throw badRequest('priority', `is required for ${type} records (0 to ${priorityMax}).`)
  if (Number.isInteger(given) && given >= 0 && given <= priorityMax) return given
  throw badRequest('priority', `must be a whole number from 0 to ${priorityMax}, not ${given}.`)
}

/** What type, host, value and priority allow of each other. */
function together(zone: string, record: CanonicalRecord): CanonicalRecord {
  const { type, host, value, priority } = record
  if (host === '@' && type === 'NS')
    throw badRequest(
      'host',
      `@ takes no NS records: the platform's nameservers stand there. Delegate a host below ${zone}.`,
    )
  // The apex has SOA and NS, and a CNAME is alone at its name (RFC 1034, section 3.6.2).
  if (host === '@' && type === 'CNAME')
    throw badRequest('host', '@ takes no CNAME record, which would have to stand alone there: use A and AAAA records.')
  // What a delegation of all that doesn't exist would mean is not defined (RFC 4592, section 4.2).
  if (type === 'NS' && host.startsWith('*'))
    throw badRequest('host', `${host} takes no NS records: a wildcard cannot be delegated.`)
  if (type === 'CNAME' && value === fullName(zone, host))
    throw badRequest('value', `must be another name than the record's own, ${value}.`)
  // RFC 7505, section 3.
  if (type === 'MX' && value === '.' && priority !== 0)
    throw badRequest('priority', `must be 0 for the null MX (value .), not ${String(priority)}.`)
  return record
}
