import { badRequest, badRequestSentence } from '@svc/contract/errors'
import { isReverse } from '../../../ports/dns/domain-names.js'
import { endsInDot, nameMaxLength, parseName } from '../../../ports/dns/presentation/name.js'
import { quoted } from '../../../shared/quoted.js'

/**
 * The host of a record, relative to its zone: `@` for the apex (specification, section 2.3). Labels may have underscores
 * (RFC 8552); an asterisk must be the whole first label (RFC 4592, section 2.1.1).
 * @param zone canonical
 * @throws ApiError `bad_request`
 */
export function hostName(zone: string, given: string): string {
  if (given === '' || given === '@') return '@'
  const { labels, problem } = parseName(given, { underscores: true, wildcard: true })
  if (problem !== undefined)
    throw badRequest(
      'host',
      `must be a name relative to the zone, such as www or @, not ${quoted(given)}: ${problem}${classlessHint(zone, given)}`,
    )
  const host = labels.join('.')
  const inZone = relativeHost(zone, host)
  if (inZone !== undefined)
    throw badRequest(
      'host',
      `must be relative to the zone, without ${zone} at its end: ${inZone}, not ${quoted(given)}`,
    )
  if (endsInDot(given))
    throw badRequest('host', `must be relative to the zone, without a dot at its end, not ${quoted(given)}`)
  const { length } = fullName(zone, host)
  if (length > nameMaxLength)
    throw badRequestSentence(
      'host',
      `The host and the zone together have ${length} characters; a name has at most ${nameMaxLength}`,
    )
  return host
}

/** RFC 2317 has a slash in its examples, and allows any other name, because programs reject the slash (section 4). */
const classlessHint = (zone: string, given: string): string =>
  isReverse(zone) && /^[\d.]+\/\d+$/.test(given)
    ? `. Write a classless delegation with a hyphen: ${given.replace('/', '-')}`
    : ''

/** The host of a name, relative to a zone; undefined for a name outside of it. @param name without a trailing dot */
export function relativeHost(zone: string, name: string): string | undefined {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : undefined
}

/** The whole name, without a trailing dot. @param host canonical */
export const fullName = (zone: string, host: string): string => (host === '@' ? zone : `${host}.${zone}`)
