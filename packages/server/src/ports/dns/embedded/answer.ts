import { addAddresses, glueFits } from './additional.js'
import type { Apex } from './apex-records.js'
import { rcode, typeCode } from './codes.js'
import type { Place } from './place.js'
import { dispatched, drop, headerSize, Query } from './query.js'
import { Reply, udpMax } from './reply.js'
import { ofType, recordHead, type Stored } from './stored.js'
import { outcomeOf, QueryCounter } from './query-counter.js'
import { slip } from './rate-limit.js'
import type { ZoneMap } from './zone-map.js'
import type { Zones } from './zones.js'
import { outcome } from '../query-counts.js'

/** Maximum size of a message over TCP, in octets (RFC 1035, section 4.2.2). */
export const tcpMax = 65_535

/** Maximum size of a UDP message without EDNS, in octets (RFC 1035, section 4.2.1). */
const plainUdpMax = 512

/** Maximum number of CNAMEs that are followed for one question. The resolver follows the rest. */
const chainMax = 16

/** Answers queries from the current zones (RFC 1034, section 4.3.2). */
export class Answerer {
  private readonly query = new Query()
  private readonly reply = new Reply()
  readonly counts: QueryCounter

  constructor(
    private readonly zones: Zones,
    private readonly records: Apex,
  ) {
    this.counts = new QueryCounter(zones)
  }

  /**
   * Writes the answer to one packet into `out`, from the offset `base` on.
   * @param limit octets available from `base` on: `udpMax` or `tcpMax`, which also tells UDP from TCP
   * @param truncateOnly answers only that the resolver must retry over TCP (the TC bit)
   * @param reserved octets to leave free, for a signature
   * @returns the length of the answer in octets; 0 for no answer; `dispatched` for a message that the dispatcher answers
   */
  answer(packet: Buffer, out: Buffer, base: number, limit: number, truncateOnly = false, reserved = 0): number {
    const { query, reply } = this
    const verdict = query.parse(packet)
    if (verdict < 0) return verdict === drop ? 0 : dispatched
    const isUdp = limit !== tcpMax
    const sizeMax = isUdp ? Math.min(limit, query.edns ? Math.max(query.udpSize, plainUdpMax) : plainUdpMax) : limit
    reply.begin(query, packet, out, base, sizeMax - reserved)
    const zone = verdict === rcode.noError ? this.zoneOf(query.key, query.type) : undefined
    if (verdict !== rcode.noError) reply.rcode = verdict
    else if (truncateOnly) reply.truncated = true
    else this.resolve(zone)
    // Beyond the rate limit, the answer stands for the queries before it that were dropped unread.
    if (truncateOnly) this.counts.add(zone, outcome.limited, isUdp, slip)
    else this.counts.add(zone, outcomeOf(reply), isUdp)
    return reply.finish(query, udpMax)
  }

  /** Writes SERVFAIL for a packet on which `answer` threw. @returns the length of the answer in octets */
  fail(packet: Buffer, out: Buffer, base: number, limit: number): number {
    const { query, reply } = this
    this.counts.add(undefined, outcome.failed, limit !== tcpMax)
    reply.begin(query, packet, out, base, plainUdpMax)
    reply.rcode = rcode.servFail
    return reply.finish(query, udpMax)
  }

  /** Writes an answer that has only an RCODE. @returns the length of the answer in octets */
  refuse(packet: Buffer, out: Buffer, code: number): number {
    const { query, reply } = this
    query.parse(packet)
    reply.begin(query, packet, out, 0, plainUdpMax)
    reply.rcode = code
    return reply.finish(query, udpMax)
  }

  private resolve(zone: ZoneMap | undefined): void {
    const { query, reply, zones } = this
    if (zone === undefined) {
      reply.rcode = rcode.refused
      return
    }
    if (zone.isUnavailable) {
      reply.rcode = rcode.servFail
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
      // A CNAME loop or a long chain: the part so far is the answer, as with other nameservers.
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

  /** Answers for one name of a CNAME chain. @returns whether the chain continues; then `place` is its next name */
  private step(place: Place): boolean {
    const { query, reply } = this
    const { zone, key } = place
    const cut = zone.cutOf(key)
    if (cut > 0 || (cut === 0 && query.type !== typeCode.DS)) return this.refer(place, cut)
    const node = zone.node(key)
    if (node === undefined) return this.nonexistentName(place)
    if (key === '' && this.answerAtApex(place, node)) return false
    const set = query.type === typeCode.ANY ? (node ?? undefined) : ofType(node, query.type)
    if (set !== undefined) return this.answerWith(place, set)
    const alias = ofType(node, typeCode.CNAME)
    if (alias === undefined) return this.negativeAnswer(place)
    const at = reply.put('answers', alias, place.owner, place.apex)
    if (at < 0) return this.truncate()
    return this.followAlias(place, alias, at + recordHead)
  }

  private answerWith(place: Place, set: Stored): false {
    const at = this.reply.put('answers', set, place.owner, place.apex)
    if (at < 0) return this.truncate()
    addAddresses(this.reply, this.zones, place, set, at)
    return false
  }

  /**
   * Answers for the SOA and NS, which are not among the zone's RRsets. For ANY, one RRset is enough (RFC 8482, section 4.1).
   * @returns whether the question is answered
   */
  private answerAtApex(place: Place, node: Stored | null): boolean {
    const { type } = this.query
    if (type === typeCode.NS) {
      const ns = this.records.nsOf(place.zone)
      return ns !== undefined && !this.answerWith(place, ns)
    }
    if (type !== typeCode.SOA && (type !== typeCode.ANY || node !== null)) return false
    if (this.records.putSoa(this.reply, 'answers', place.apex, place.zone) < 0) this.truncate()
    return true
  }

  /** NXDOMAIN. After a CNAME chain, it is about the last name (RFC 6604, section 3). */
  private nonexistentName(place: Place): false {
    const { query, zones } = this
    // A zone that is served here exists, even if its parent zone has no delegation for it: only its DS is missing.
    const isServed = query.type === typeCode.DS && zones.get(place.key + place.zone.key) !== undefined
    if (!isServed) this.reply.rcode = rcode.nxDomain
    return this.negativeAnswer(place)
  }

  /** Adds the SOA, so that resolvers can cache NXDOMAIN or "no data" (RFC 2308). */
  private negativeAnswer(place: Place): false {
    const at = this.records.putSoa(this.reply, 'authority', place.apex, place.zone)
    return at < 0 ? this.truncate() : false
  }

  /** Writes a referral: the NS records of the delegation and their glue (RFC 1034, section 4.3.2, step 3.b). */
  private refer(place: Place, cut: number): false {
    const { reply, zones } = this
    const name = place.key.slice(cut)
    const ns = ofType(place.zone.exact(name), typeCode.NS)
    if (ns === undefined) throw new Error(`The delegation of ${name} has no NS records.`)
    // AA is about the answer section, which has CNAMEs if the query was for another name (RFC 1035, section 4.1.1).
    if (place.owner === headerSize) reply.authoritative = false
    const at = reply.put('authority', ns, place.owner + cut, place.apex)
    if (at < 0 || !glueFits(reply, zones, { ...place, key: name }, ns, at)) return this.truncate()
    return false
  }

  /**
   * Moves `place` to the target of a CNAME, whose offset in the message is `target`.
   * @returns false if no zone here may answer for the target
   */
  private followAlias(place: Place, alias: Stored, target: number): boolean {
    const { zones } = this
    const { bytes, start, end } = alias
    // A name ends in a zero octet, or in a pointer to the apex, which does not end in zero.
    const isInZone = bytes[end - 1] !== 0
    const labels = bytes.toString('latin1', start + recordHead, isInZone ? end - 2 : end - 1)
    const key = isInZone ? labels + place.zone.key : labels
    const zone = zones.find(key)
    if (zone === undefined || !place.zone.mayQuote(zone)) return false
    // A target in the same zone ends in a pointer to the apex, which is in the message already.
    if (zone !== place.zone || !isInZone) place.apex = target + zones.at
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
