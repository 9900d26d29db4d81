import { recordTypeRules } from '../../ports/dns/types/index.js'
import { ofType, recordHead, type Stored } from '../../ports/dns/embedded/stored.js'
import type { ZoneMap } from '../../ports/dns/embedded/zone-map.js'
import { keyOf, nextLabel, textOf } from '../../ports/dns/wire/names.js'
import { TimeSlices } from '../../shared/time-slices.js'

/** The list of zones that a primary nameserver publishes as a zone (RFC 9432, version 2). */

/** A zone of the catalog. */
export interface Member {
  /** In lower case, without a trailing dot. */
  readonly name: string
  /** The unique label. The state of the zone is reset if it changes (section 5.4). */
  readonly id: string
}

export interface Members {
  /** By the keys of their names. */
  readonly byKey: ReadonlyMap<string, Member>
  /** Members that cannot be served: the root, the catalog itself, names that are not printable. */
  readonly leftOut: readonly string[]
}

/** The catalog must not be processed (RFC 9432, sections 4.1, 4.2.1 and 5.1). */
export class BrokenCatalog extends Error {}

const versionKey = keyOf('version')
const zonesKey = keyOf('zones')
const version = '2'

/** @throws BrokenCatalog */
export async function membersOf(catalog: ZoneMap): Promise<Members> {
  checkVersion(ofType(catalog.exact(versionKey), recordTypeRules.TXT.code))
  const byKey = new Map<string, Member>()
  const leftOut: string[] = []
  const slices = new TimeSlices()
  const { keys, sets } = catalog.snapshot()
  for (const [n, set] of sets.entries()) {
    const key = keys[n] ?? ''
    if (slices.isOver) await slices.next()
    // Other names are properties, which this nameserver does not use.
    if (set.type !== recordTypeRules.PTR.code || key.slice(nextLabel(key, 0)) !== zonesKey) continue
    const id = key.slice(1, nextLabel(key, 0))
    const targets = recordsOf(set)
    const [target] = targets
    if (target === undefined || targets.length > 1) throw new BrokenCatalog(`The member ${id} has several zones.`)
    const zone = nameIn(target, catalog)
    if (byKey.has(zone)) throw new BrokenCatalog(`The zone ${textOf(zone)} is there twice.`)
    const name = nameOf(zone)
    if (name === undefined || zone === catalog.key) leftOut.push(textOf(zone))
    else byKey.set(zone, { name, id })
  }
  return { byKey, leftOut }
}

function checkVersion(set: Stored | undefined): void {
  if (set === undefined) throw new BrokenCatalog('The catalog has no version.')
  const texts = recordsOf(set)
  const [text = Buffer.alloc(0)] = texts
  if (texts.length > 1) throw new BrokenCatalog('The catalog has several versions.')
  const given = text.toString('latin1', 1)
  if (text.length !== 1 + text.readUInt8(0) || given !== version)
    throw new BrokenCatalog(`The catalog has the version ${JSON.stringify(given.slice(0, 20))}, not 2.`)
}

/** The data of each record. */
function recordsOf({ bytes, start, end }: Stored): Buffer[] {
  const records = []
  for (let at = start; at < end;) {
    const from = at + recordHead
    at = from + bytes.readUInt16BE(from - 2)
    records.push(bytes.subarray(from, at))
  }
  return records
}

/** The key of a name at the end of stored data. A name that is written out ends in a zero octet; others end in a pointer. */
const nameIn = (rdata: Buffer, { key }: ZoneMap): string =>
  rdata.at(-1) === 0
    ? rdata.toString('latin1', 0, rdata.length - 1)
    : rdata.toString('latin1', 0, rdata.length - 2) + key

/** The text of a key; undefined for the root, and for a name that a text cannot write, such as one with a dot in a label. */
function nameOf(key: string): string | undefined {
  const name = textOf(key)
  try {
    return name !== '' && keyOf(name) === key ? name : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
