import { badRequest } from '@svc/contract/errors'
import { isReverse } from '../../../ports/dns/domain-names.js'
import { quoted } from '../../../shared/quoted.js'
import { isNibble, isOctet, v4Root } from '../zones/reverse.js'

/**
 * Why a PTR record at a host of a reverse zone would belong to no address; undefined if it can, and for other zones. A host has the rest
 * of the address: octets (RFC 1035, section 3.5) or nibbles (RFC 3596, section 2.5). Also accepted: an asterisk for the last ones,
 * names of services (RFC 6763, section 11), and one label of a classless delegation (`1.0-25`: RFC 2317 allows any name).
 * @param zone canonical
 * @param host canonical
 * @returns a clause that follows the word "host"
 */
export function reverseHostProblem(zone: string, host: string): string | undefined {
  if (host === '@' || !isReverse(zone)) return undefined
  const isV4 = zone.endsWith(v4Root)
  const left = (isV4 ? 4 : 32) - (zone.split('.').length - 2)
  const labels = host.split('.')
  const service = labels.findLastIndex((label) => label.startsWith('_'))
  const address = labels.slice(service + 1)
  if (service === -1 && address[0] === '*') address.shift()
  const steps = isV4 ? withoutClassless(address, labels.length > address.length) : address
  if (left > 0 && steps.length <= left && steps.every(isV4 ? isOctet : isNibble)) return undefined
  return `of a PTR record in ${zone} must be ${left === 0 ? '@, because the zone is a whole address' : wanted(isV4, left)}, not ${quoted(host)}`
}

/** @throws ApiError `bad_request` for a host of a PTR record that belongs to no address */
export function checkReverseHost(zone: string, host: string): void {
  const problem = reverseHostProblem(zone, host)
  if (problem !== undefined) throw badRequest('host', problem)
}

/** Leaves out the label of a classless delegation, which has a host below it. */
function withoutClassless(labels: readonly string[], hasHost: boolean): readonly string[] {
  const at = labels.findIndex((label) => !/^\d+$/.test(label))
  return at > 0 || (at === 0 && hasHost) ? labels.toSpliced(at, 1) : labels
}

const wanted = (isV4: boolean, left: number): string => {
  if (!isV4)
    return left === 1
      ? 'a hexadecimal digit, such as 1'
      : `at most ${left} hexadecimal digits, the last of the address first and each a separate label, such as 2.1`
  return left === 1
    ? 'a number from 0 to 255 without leading zeros, such as 1'
    : `at most ${left} numbers from 0 to 255 without leading zeros, the last of the address first, such as 2.1`
}
