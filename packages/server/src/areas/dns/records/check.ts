import type { RecordType } from '@svc/contract'
import { badRequest, badRequestSentence } from '@svc/contract/errors'
import { priorityMax, recordValueMaxLength, ttlDefault, ttlMax, ttlMin } from '@svc/contract/limits'
import { isChallengeHost } from '../../../ports/dns/challenge.js'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import { nullMx } from '../../../ports/dns/types/mx.js'
import { fullName, hostName } from '../values/host.js'
import { checkReverseHost } from '../values/reverse-host.js'
import type { CanonicalRecord, GivenChanges, GivenRecord } from './record.js'

/**
 * A new record in canonical form.
 * @param zone canonical
 * @throws ApiError `bad_request`
 */
export function checkRecord(zone: string, { type, host, value, ttl, priority }: GivenRecord): CanonicalRecord {
  return checkCombination(zone, {
    type,
    host: hostName(zone, host ?? '@'),
    value: canonicalValue(type, value),
    ttl: checkTtl(ttl ?? ttlDefault),
    priority: priorityFor(type, priority),
  })
}

/**
 * The same for a record that a caller of the API creates. Imports keep PTR records that belong to no address, and challenges that are
 * not served.
 * @throws ApiError `bad_request`
 */
export function checkNewRecord(zone: string, given: GivenRecord): CanonicalRecord {
  const record = checkRecord(zone, given)
  checkPlace(zone, record)
  return record
}

function checkPlace(zone: string, { type, host }: Pick<CanonicalRecord, 'type' | 'host'>): void {
  if (type === 'PTR') checkReverseHost(zone, host)
  if ((type === 'CNAME' || type === 'NS') && isChallengeHost(host))
    throw badRequestSentence(
      'host',
      `${host} cannot have ${type} records: only a TXT record at the name itself proves control of a zone`,
    )
}

/**
 * A record after a change: only supplied fields change.
 * @throws ApiError `bad_request`
 */
export function mergeRecord(zone: string, current: CanonicalRecord, changes: GivenChanges): CanonicalRecord {
  const { type } = current
  if (changes.type !== undefined && changes.type !== type)
    throw badRequest('type', `cannot be changed from ${type} to ${changes.type}: delete the record and create another`)
  const host = changes.host === undefined ? current.host : hostName(zone, changes.host)
  if (host !== current.host) checkPlace(zone, { type, host })
  return checkCombination(zone, {
    type,
    host,
    value: changes.value === undefined ? current.value : canonicalValue(type, changes.value),
    ttl: changes.ttl === undefined ? current.ttl : checkTtl(changes.ttl),
    priority: priorityFor(type, changes.priority ?? current.priority ?? undefined),
  })
}

/** The canonical form of a value. */
function canonicalValue(type: RecordType, given: string): string {
  if (given === '') throw badRequest('value', 'must not be empty')
  if (given.length > recordValueMaxLength)
    throw badRequest('value', `must have at most ${recordValueMaxLength} characters, not ${given.length}`)
  return recordTypeRules[type].canonicalize(given)
}

function checkTtl(ttl: number): number {
  if (Number.isInteger(ttl) && ttl >= ttlMin && ttl <= ttlMax) return ttl
  throw badRequest('ttl', `must be a whole number of seconds from ${ttlMin} to ${ttlMax}, not ${ttl}`)
}

/** The priority has 16 bits (RFC 1035, section 3.3.9; RFC 2782). It is ignored for types that have none. */
function priorityFor(type: RecordType, given: number | undefined): number | null {
  if (!recordTypeRules[type].hasPriority) return null
  if (given === undefined) throw badRequest('priority', `is required for ${type} records (0 to ${priorityMax})`)
  if (Number.isInteger(given) && given >= 0 && given <= priorityMax) return given
  throw badRequest('priority', `must be a whole number from 0 to ${priorityMax}, not ${given}`)
}

/** Rules that span several fields. */
function checkCombination(zone: string, record: CanonicalRecord): CanonicalRecord {
  const { type, host, value, priority } = record
  if (host === '@' && type === 'NS')
    throw badRequest(
      'host',
      `@ cannot have NS records: the platform sets those of the zone itself. Delegate a host below ${zone} instead`,
    )
  // The apex has SOA and NS records, and a CNAME excludes other records (RFC 1034, section 3.6.2).
  if (host === '@' && type === 'CNAME')
    throw badRequest('host', '@ is the zone itself, which cannot be a CNAME: use A and AAAA records')
  // RFC 4592, section 4.2, leaves the meaning of a delegated wildcard undefined.
  if (type === 'NS' && host.startsWith('*'))
    throw badRequestSentence('host', `${host} cannot have NS records: a wildcard cannot be delegated`)
  if (type === 'CNAME' && value === fullName(zone, host))
    throw badRequest('value', `must not be the record's own name, ${value}`)
  // RFC 7505, section 3.
  if (type === 'MX' && value === nullMx && priority !== 0)
    throw badRequest('priority', `must be 0 for the null MX (value .), not ${String(priority)}`)
  return record
}
