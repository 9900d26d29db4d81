import { ApiError } from '@svc/contract/errors'
import type { RuledRecord } from '../../../shared/rules.js'
import { checkNewRecord } from '../records/check.js'
import { recordTypeRules } from '../../../ports/dns/types/index.js'
import type { ApexView } from './apex-records.js'
import { isMetaType, wireClass, wireType } from './message.js'
import type { NamedRecord } from './named-record.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import { allTypesAt } from './read-prerequisites.js'
import type { Refusal, UpdateStep } from './update.js'

/** What the update section changes (RFC 2136, section 2.5). */
export interface ReadChanges {
  readonly steps: readonly UpdateStep[]
  /** The records that it names. */
  readonly written: readonly RuledRecord[]
  readonly refusal: Refusal | undefined
}

/**
 * Reads the update section. Errors of form anywhere in it come before refusals (RFC 2136, section 3.4.1.3).
 * @param zone canonical
 */
export function readChanges(zone: string, records: readonly NamedRecord[], apex: ApexView): ReadChanges {
  const written = records.flatMap(writtenBy)
  for (const [position, record] of records.entries()) {
    const failed = errorOf(record)
    if (failed !== undefined)
      return {
        steps: [],
        written,
        refusal: { rcode: failed, reason: `record ${position + 1} of the update is malformed or outside of the zone` },
      }
  }
  const steps: UpdateStep[] = []
  for (const [position, record] of records.entries()) {
    try {
      steps.push(...stepsOf(zone, record, apex))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return {
        steps: [],
        written,
        refusal: { rcode: rcode.refused, reason: `record ${position + 1}: ${error.message}` },
      }
    }
  }
  return { steps, written, refusal: undefined }
}

/** The prescan of RFC 2136, section 3.4.1. */
function errorOf({ wire, host }: NamedRecord): Rcode | undefined {
  if (host === undefined) return rcode.notZone
  const isAny = wire.type === wireType.any
  const isMeta = isMetaType(wire.type)
  if (wire.class === wireClass.in) return isMeta ? rcode.formErr : undefined
  if (wire.ttl !== 0) return rcode.formErr
  if (wire.class === wireClass.any) return wire.start !== wire.end || (isMeta && !isAny) ? rcode.formErr : undefined
  return wire.class !== wireClass.none || isMeta ? rcode.formErr : undefined
}

/** The steps of one record. Deletions of what svc cannot hold are without effect. @throws ApiError for an addition that svc refuses */
function stepsOf(zone: string, record: NamedRecord, apex: ApexView): UpdateStep[] {
  const { wire, host, type, data } = record
  if (wire.class === wireClass.in) return additionOf(zone, record, apex)
  if (typeof host !== 'string') return []
  if (wire.class === wireClass.any) {
    if (wire.type === wireType.any) return [{ kind: 'deleteName', host }]
    // Deletions of the SOA and of all NS records of the apex are ignored (RFC 2136, section 3.4.2.3).
    return type === undefined || (host === '@' && type === 'NS') ? [] : [{ kind: 'deleteRRset', host, type }]
  }
  if (type === undefined || data === undefined || data === null) return []
  if (host !== '@' || type !== 'NS') return [{ kind: 'delete', host, type, ...data }]
  // The last NS record stays (RFC 2136, section 3.4.2.4).
  if (apex.hasNs(data.value) && apex.nsCount > 1) throw refusedError('svc sets the NS records of the zone itself')
  return []
}

function additionOf(zone: string, { wire, host, type, data, soa }: NamedRecord, apex: ApexView): UpdateStep[] {
  // The records with which DHCP servers mark their names (RFC 4701). svc has no such type, and they are of no use to others.
  if (wire.type === wireType.dhcid) return []
  if (host === '@' && soa !== undefined) return [{ kind: 'serial', serial: soa.serial }]
  if (type === undefined) throw refusedError(`records of type ${wire.type} are not supported`)
  if (typeof host !== 'string')
    throw refusedError('the name has other characters than letters, digits, hyphens and underscores')
  if (data === undefined || data === null) throw refusedError('the data has characters that svc does not store')
  if (host === '@' && type === 'NS' && apex.hasNs(data.value)) return []
  const { value, priority } = data
  const given = recordTypeRules[type].toGiven?.(value) ?? value
  const record = checkNewRecord(zone, {
    type,
    host,
    value: given,
    ttl: wire.ttl,
    ...(priority === null ? {} : { priority }),
  })
  return [{ kind: 'add', record }]
}

const refusedError = (reason: string) => new ApiError('bad_request', `${reason}.`)

/** What a token must be allowed to write, whether or not it exists: the answer must not tell what other hosts have. */
function writtenBy({ wire, host, type }: NamedRecord): RuledRecord[] {
  if (typeof host !== 'string') return []
  if (wire.type === wireType.any) return allTypesAt(host)
  return type === undefined ? [] : [{ host, type }]
}
