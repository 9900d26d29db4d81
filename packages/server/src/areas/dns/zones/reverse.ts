import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'

export const v4Root = 'in-addr.arpa'

/**
 * Checks the name of a reverse zone: on octet boundaries under in-addr.arpa (RFC 1035, section 3.5), on nibble
 * boundaries under ip6.arpa (RFC 3596, section 2.5). Classless zones (`0-25.2.0.192.in-addr.arpa`, RFC 2317) cannot be
 * claimed: their names are hosts in the zone of the octet, by agreement with its owner.
 * @param labels of a name below in-addr.arpa or ip6.arpa
 * @throws ApiError `bad_request`
 */
export function reverseZone(labels: readonly string[]): string {
  const name = labels.join('.')
  const own = labels.slice(0, -2)
  const [most, fits, wanted] = name.endsWith(v4Root)
    ? [4, isOctet, 'one to four octets, 0 to 255 without leading zeros, such as 2.0.192.in-addr.arpa']
    : [32, isNibble, '1 to 32 hexadecimal digits, each a separate label, such as 8.b.d.0.1.0.0.2.ip6.arpa']
  if (own.length > 0 && own.length <= most && own.every(fits)) return name
  throw badRequest('zone', `must be a reverse zone of ${wanted}, not ${quoted(name)}`)
}

/** 0 to 255 without leading zeros. */
export const isOctet = (label: string): boolean => /^(0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255
/** A hexadecimal digit in lower case. */
export const isNibble = (label: string): boolean => /^[0-9a-f]$/.test(label)
