import { targetOffsetOf } from '../types/rdata.js'
import type { Place } from './place.js'
import { typeCode } from './codes.js'
import { nextLabel } from '../wire/names.js'
import { pointerMax, type Reply } from './reply.js'
import { ofType, recordHead, type Stored } from './stored.js'
import type { ZoneMap } from './zone-map.js'
import type { Zones } from './zones.js'

interface Target {
  readonly zone: ZoneMap
  readonly key: string
  readonly owner: number
  readonly apex: number
}

/** Maximum number of hosts whose optional addresses are added: otherwise the cost grows with the square of the records. */
const optionalMax = 32

/**
 * The targets of a set that was written at `at`, each once: those in its own zone and in zones of the same holder.
 * @param most the maximum number of targets
 */
function targetsOf(zones: Zones, place: Place, set: Stored, at: number, most = Infinity): Target[] {
  const { type, bytes, start, end } = set
  const targets: Target[] = []
  const offset = targetOffsetOf(type)
  if (offset === undefined) return targets
  const seen = new Set<string>()
  for (let record = start; record < end && targets.length < most;) {
    const rdata = record + recordHead
    record = rdata + bytes.readUInt16BE(rdata - 2)
    const inside = bytes[record - 1] !== 0
    const labels = bytes.toString('latin1', rdata + offset, inside ? record - 2 : record - 1)
    const full = inside ? labels + place.zone.key : labels
    const owner = at + rdata + offset - start
    if (owner > pointerMax) break
    if (seen.has(full)) continue
    seen.add(full)
    const zone = zones.find(full)
    if (zone === undefined || !place.zone.mayQuote(zone)) continue
    const key = full.slice(0, zones.at)
    targets.push({ zone, key, owner, apex: inside && zone === place.zone ? place.apex : owner + zones.at })
  }
  return targets
}

/** Addresses of the hosts that MX, SRV and NS records name, as far as there is room (RFC 1035, section 3.3; RFC 2782). */
export function addAddresses(reply: Reply, zones: Zones, place: Place, set: Stored, at: number): void {
  for (const target of targetsOf(zones, place, set, at, optionalMax))
    // Names below a delegation belong to the delegated zone.
    if (target.zone.cutOf(target.key) < 0) putAddresses(reply, target)
}

/**
 * Adds the glue of a delegation. Addresses of nameservers below it are required (RFC 9471); others are optional.
 * @param place the name of the delegation
 * @returns whether the required ones fit
 */
export function glueFits(reply: Reply, zones: Zones, place: Place, ns: Stored, at: number): boolean {
  const targets = targetsOf(zones, place, ns, at).filter(({ zone }) => zone === place.zone)
  const within = targets.filter(({ key }) => endsIn(key, place.key))
  if (!within.every((target) => putAddresses(reply, target))) return false
  for (const target of targets.slice(0, optionalMax)) if (!endsIn(target.key, place.key)) putAddresses(reply, target)
  return true
}

function putAddresses(reply: Reply, { zone, key, owner, apex }: Target): boolean {
  let fit = true
  for (const type of [typeCode.A, typeCode.AAAA]) {
    const set = ofType(zone.exact(key), type)
    if (set !== undefined && reply.put('additional', set, owner, apex) < 0) fit = false
  }
  return fit
}

/** Whether a name equals another one or is below it. */
function endsIn(key: string, above: string): boolean {
  let at = 0
  while (key.length - at > above.length) at = nextLabel(key, at)
  return key.slice(at) === above
}
