import type { ApexSettings } from '../../../ports/dns/apex.js'
import { isPrintableKey } from '../../../ports/dns/types/read-rdata.js'
import { textOf } from '../../../ports/dns/wire/names.js'
import { apexView } from './apex-records.js'
import { parseUpdate } from './message.js'
import { nameRecords } from './named-record.js'
import { rcode, type Rcode } from '../../../ports/dns/embedded/codes.js'
import { readChanges } from './read-changes.js'
import { readPrerequisites } from './read-prerequisites.js'
import type { NamedRecords, WantedUpdate } from './update.js'

/** An update of a zone, with the records that it names. */
export interface ReadUpdate {
  /** In lower case, without a trailing dot. */
  readonly zone: string
  readonly update: WantedUpdate
  readonly named: NamedRecords
}

/**
 * Reads an UPDATE: all that can be decided without the zone's records.
 * @param packet without its TSIG
 * @returns the code of the answer for a message that is malformed, too large, or about a zone that svc cannot have
 */
export function readUpdate(packet: Buffer, settings: ApexSettings): ReadUpdate | Rcode {
  const message = parseUpdate(packet)
  if (typeof message === 'number') return message
  const prerequisites = nameRecords(message, message.prerequisites)
  const updates = nameRecords(message, message.updates)
  if (prerequisites === undefined || updates === undefined) return rcode.formErr
  if (message.zone === '' || !isPrintableKey(message.zone)) return rcode.notAuth
  const zone = textOf(message.zone)
  const apex = apexView(settings, zone)
  const { read, prerequisites: wanted } = readPrerequisites(prerequisites, apex)
  const { written, steps, refusal } = readChanges(zone, updates, apex)
  return { zone, update: { prerequisites: wanted, steps, refusal }, named: { read, written } }
}
