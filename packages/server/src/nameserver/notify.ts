import { opcode, rcode, typeCode } from '../ports/dns/embedded/codes.js'
import { headerSize } from '../ports/dns/embedded/query.js'
import type { CheckedMessage, Protocols } from '../ports/dns/protocol/messages.js'
import type { TsigKey } from '../ports/dns/wire/tsig.js'
import { parseIpAddress } from '../shared/ip-address.js'
import { NameReader } from './wire/name-reader.js'
import { RefusedAnswer } from './wire/refused-answer.js'

const names = new NameReader()

const canonical = (address: string): string | undefined => parseIpAddress(address)?.toString()

export interface NotifyOptions {
  /** The address of the primary. */
  readonly primary: string
  readonly key: TsigKey
  /** @returns false for an unknown zone */
  readonly notify: (zone: string) => boolean
}

/** Takes NOTIFY (RFC 1996) that is signed with the key, or that comes from the address of the primary. */
export function notifyProtocols({ primary, key, notify }: NotifyOptions): Protocols {
  const expected = canonical(primary)
  return {
    keys: {
      byName: async (name) => (name === key.name ? { ...key, signer: () => ({ kind: 'operator', name }) } : undefined),
    },
    handlers: {
      notify: async ({ packet, client, signer }: CheckedMessage) => {
        if (signer.kind !== 'operator' && canonical(client.address) !== expected) return rcode.refused
        const zone = notifiedZone(packet)
        if (zone === undefined) return rcode.formErr
        return notify(zone) ? rcode.noError : rcode.notAuth
      },
    },
  }
}

/** The key of the zone of a NOTIFY; undefined if it is malformed, or about other records than the SOA. */
function notifiedZone(packet: Buffer): string | undefined {
  if ((packet.readUInt8(2) & 0xf8) !== opcode.notify || packet.readUInt16BE(4) !== 1) return undefined
  try {
    const end = names.read(packet, headerSize, packet.length)
    if (end + 4 > packet.length || packet.readUInt16BE(end) !== typeCode.SOA) return undefined
    return names.key()
  } catch (error) {
    if (error instanceof RefusedAnswer) return undefined
    throw error
  }
}
