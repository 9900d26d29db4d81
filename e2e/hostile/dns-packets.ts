import { queryPacket } from '../../packages/server/test/dns-ask.js'
import { updatePacket } from '../../packages/server/test/dns-update.js'
import { transferRequest } from '../../packages/server/test/transfer-client.js'
import { changeCases, prerequisiteCases } from '../../packages/server/test/update-cases.js'
import { TsigSigner, type TsigKey } from '../../packages/server/src/ports/dns/wire/tsig.js'
import type { Random } from './random.js'

/** Random DNS messages for the doors of a nameserver: with right, wrong and damaged signatures, and repeated ones. */

interface PacketOptions {
  readonly numbers: Random
  readonly keys: readonly TsigKey[]
  /** Zones that the messages are about. The last one is the only one that UPDATEs change. */
  readonly zones: readonly string[]
}

const types = ['A', 'SOA', 'TXT', 'MX', 'ANY', 'NS']
const updates = [...prerequisiteCases, ...changeCases].map(({ when = [], then = [] }) => ({
  prerequisites: when,
  updates: then,
}))

/** How many signed messages are kept for repetition. */
const keptMax = 2000

/** Seconds by which a clock is wrong. */
const wrongBy = 1000

export class RandomPackets {
  private readonly kept: Buffer[] = []

  constructor(private readonly options: PacketOptions) {}

  next(): Buffer {
    const { numbers } = this.options
    const kind = numbers.integer(0, 99)
    if (kind < 5) return numbers.bytes(numbers.integer(0, 300))
    if (kind < 10) return this.message()
    if (kind < 17 && this.kept.length > 0) return numbers.pick(this.kept)
    const key = numbers.pick(this.options.keys)
    if (kind < 24) return this.sign({ ...key, secret: Buffer.alloc(32, 1) })
    if (kind < 30) return this.sign({ ...key, name: `${String(numbers.integer(0, 9999))}.unknown.key` })
    if (kind < 35) return this.sign(key, numbers.pick([-wrongBy, wrongBy]))
    if (kind < 50) return this.damage(this.sign(key))
    if (kind < 57) {
      const packet = this.sign(key)
      return packet.subarray(0, numbers.integer(1, packet.length - 1))
    }
    if (kind < 75) return new TsigSigner(key).sign(this.damage(this.message(), 12), seconds())
    return this.keep(this.sign(key))
  }

  private sign(key: TsigKey, byTime = 0): Buffer {
    return new TsigSigner(key).sign(this.message(), seconds() + byTime)
  }

  private keep(packet: Buffer): Buffer {
    if (this.kept.length < keptMax) this.kept.push(packet)
    else this.kept[this.options.numbers.integer(0, keptMax - 1)] = packet
    return packet
  }

  private message(): Buffer {
    const { numbers, zones } = this.options
    const zone = numbers.pick(zones)
    const id = numbers.integer(0, 65_535)
    switch (numbers.integer(0, 4)) {
      case 0:
        return queryPacket(numbers.pick([zone, `www.${zone}`, `x.${zone}`]), numbers.pick(types), this.edns())
      case 1: {
        const { packet } =
          numbers.integer(0, 1) === 0 ? transferRequest(zone) : transferRequest(zone, numbers.integer(0, 0xffff_ffff))
        packet.writeUInt16BE(id, 0)
        return packet
      }
      case 2: {
        const packet = queryPacket(zone, 'SOA', this.edns())
        packet.writeUInt16BE(0x2400, 2)
        return packet
      }
      default: {
        const of = numbers.integer(0, 4) === 0 ? zone : zones.at(-1)!
        return updatePacket({ id, zone: of, ...numbers.pick(updates) })
      }
    }
  }

  private edns(): { edns?: number } {
    return this.options.numbers.integer(0, 1) === 0 ? { edns: 1232 } : {}
  }

  /** @param from the first octet that may change */
  private damage(whole: Buffer, from = 0): Buffer {
    const { numbers } = this.options
    let packet = Buffer.from(whole)
    for (let changes = numbers.integer(1, 4); changes > 0 && packet.length > from; changes--) {
      const at = numbers.integer(from, packet.length - 1)
      const kind = numbers.integer(0, 9)
      if (kind < 6) packet[at] = numbers.integer(0, 255)
      else if (kind < 8) packet.copyWithin(at, numbers.integer(from, packet.length - 1), packet.length)
      else if (kind < 9) packet = Buffer.concat([packet, numbers.bytes(numbers.integer(1, 30))])
      else packet = packet.subarray(0, Math.max(from, at))
    }
    return packet
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000)
