import { addAddresses, glueFits } from './additional.js'
import type { ApexRecords } from './apex-records.js'
import { rcode, typeCode } from './codes.js'
import type { Place } from './place.js'
import { drop, headerSize, Query } from './query.js'
import { Reply, udpMax } from './reply.js'
import { recordHead, type Stored } from './stored.js'
import { ofType, type ZoneMap } from './zone-map.js'
import type { Zones } from './zones.js'

/** As long a message as TCP can carry (RFC 1035, section 4.2.2). */
export const tcpMax = 65_535

/** Without EDNS no more goes into one packet (RFC 1035, section 4.2.1). */
const plainUdpMax = 512

/** CNAMEs that are followed for one question; whoever asks follows the rest. */
const chainMax = 16

/** Answers queries from the zones as they are in that moment (RFC 1034, section 4.3.2). */
export class Answerer {
  private readonly query = new Query()
  private readonly reply = new Reply()

  constructor(
    private readonly zones: Zones,
    private readonly records: ApexRecords,
  ) {}

  /**
   * Writes the answer to one packet.
   * @param limit octets there are from `base` on: `udpMax` or `tcpMax`
   * @param silent answers no more than "ask again over TCP"
   * @returns how long it is; 0 where there shall be none
   */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, silent = false): number {
    const { query, reply } = this
    const verdict = query.parse(packet)
    if (verdict === drop) return 0
    const udp = limit !== tcpMax
    const fits = udp ? Math.min(limit, query.edns ? Math.max(query.udpSize, plainUdpMax) : plainUdpMax) : limit
    reply.begin(query, packet, out, base, fits)
    if (verdict !== rcode.noError) reply.rcode = verdict
    else if (silent) reply.truncated = true
    else this.resolve()
    return reply.finish(query, udpMax)
  }

  /** SERVFAIL, where answer() met a fault of our own. */
  fail(packet: Buffer, out: Buffer, base: number): number {
    const { query, reply } = this
    reply.begin(query, packet, out, base, plainUdpMax)
    reply.rcode = rcode.servFail
    return reply.finish(query, udpMax)
  }

  private resolve(): void {
    const { query, reply, zones } = this
    const zone = this.zoneOf(query.key, query.type)
    if (zone === undefined) {
      reply.rcode = rcode.refused
      return
    }
    const place: Place = {
      zone,
      key: zones.at === 0 ? '' : query.key.slice(0, zones.at),
      owner: headerSize,
      apex: headerSize + zones.at,
    }
    reply.authoritative = true
    const seen: string[] = []
    while (this.step(place)) {
      const name = place.key + place.zone.key
      // Round in a circle: what there is of the chain is the answer, as it is with other servers.
      if (seen.length === chainMax || name === query.key || seen.includes(name)) return
      seen.push(name)
    }
  }

  /**
   * The DS of a delegated zone belongs to the zone above (RFC 4035, section 3.1.4.1), if both have the same holder. Otherwise
   * the zone answers for itself, as it does when the zone above is not served here.
   */
  private zoneOf(key: string, type: number): ZoneMap | undefined {
    const { zones } = this
    const zone = zones.find(key)
    if (type !== typeCode.DS || zone === undefined || zones.at > 0) return zone
    const above = zones.find(key, 1 + key.charCodeAt(0))
    return above?.mayQuote(zone) === true ? above : zones.find(key)
  }

  /** Answers for one name of a chain. @returns whether it goes on elsewhere; then `place` is there */
  private step(place: Place): boolean {
    const { query, reply } = this
    const { zone, key } = place
    const cut = zone.cutOf(key)
    if (cut > 0 || (cut === 0 && query.type !== typeCode.DS)) return this.refer(place, cut)
    const node = zone.node(key)
    if (node === undefined) return this.nothing(place)
    if (key === '' && this.atApex(place, node)) return false
    const set = query.type === typeCode.ANY ? (node ?? undefined) : ofType(node, query.type)
    if (set !== undefined) return this.give(place, set)
    const alias = ofType(node, typeCode.CNAME)
    if (alias === undefined) return this.negative(place)
    const at = reply.put('answers', alias, place.owner, place.apex)
    if (at < 0) return this.truncate()
    return this.follow(place, alias, at + recordHead)
  }

  private give(place: Place, set: Stored): false {
    const at = this.reply.put('answers', set, place.owner, place.apex)
    if (at < 0) return this.truncate()
    addAddresses(this.reply, this.zones, place, set, at)
    return false
  }

  /** SOA and NS are not among the zone's records. For ANY, one RRset will do (RFC 8482, section 4.1). */
  private atApex(place: Place, node: Stored | null): boolean {
    const { type } = this.query
    if (type === typeCode.NS) return !this.give(place, this.records.ns)
    if (type !== typeCode.SOA && (type !== typeCode.ANY || node !== null)) return false
    if (this.records.putSoa(this.reply, 'answers', place.apex, place.zone) < 0) this.truncate()
    return true
  }

  /** No such name; the code is for the last name of a chain (RFC 6604, section 3). */
  private nothing(place: Place): false {
    const { query, zones } = this
    // A zone of ours that its parent does not know of is there all the same: only the DS is not.
    const ours = query.type === typeCode.DS && zones.get(place.key + place.zone.key) !== undefined
    if (!ours) this.reply.rcode = rcode.nxDomain
    return this.negative(place)
  }

  private negative(place: Place): false {
    const at = this.records.putSoa(this.reply, 'authority', place.apex, place.zone)
    return at < 0 ? this.truncate() : false
  }

  /** Names below a delegation are somebody else's: here is who to ask, and where they are. */
  private refer(place: Place, cut: number): false {
    const { reply, zones } = this
    const name = place.key.slice(cut)
    const ns = ofType(place.zone.exact(name), typeCode.NS)
    if (ns === undefined) throw new Error(`The delegation of ${name} has no NS records.`)
    // Authoritative is for the answer section, where there may be CNAMEs that led here (RFC 1035, section 4.1.1).
    if (place.owner === headerSize) reply.authoritative = false
    const at = reply.put('authority', ns, place.owner + cut, place.apex)
    if (at < 0 || !glueFits(reply, zones, { ...place, key: name }, ns, at)) return this.truncate()
    return false
  }

  private follow(place: Place, alias: Stored, target: number): boolean {
    const { zones } = this
    const { bytes, start, end } = alias
    const inside = bytes[end - 1] !== 0
    const labels = bytes.toString('latin1', start + recordHead, inside ? end - 2 : end - 1)
    const key = inside ? labels + place.zone.key : labels
    const zone = zones.find(key)
    if (zone === undefined || !place.zone.mayQuote(zone)) return false
    // A target inside is written up to the apex, which was there before.
    if (zone !== place.zone || !inside) place.apex = target + zones.at
    place.zone = zone
    place.key = key.slice(0, zones.at)
    place.owner = target
    return true
  }

  private truncate(): false {
    this.reply.truncated = true
    return false
  }
}
