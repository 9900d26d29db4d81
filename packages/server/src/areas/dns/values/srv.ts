import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { serviceTarget } from './target.js'

/** What SRV holds beside its priority, which is a field of its own: `weight port target` (RFC 2782). */
export function srvValue(given: string): string {
  const parts = given.trim().split(/\s+/)
  const [weight, port, target] = parts
  if (weight === undefined || port === undefined || target === undefined || parts.length > 3) {
    const hint = parts.length === 4 ? ' The priority has a field of its own.' : ''
    throw badRequest(
      'value',
      `must be weight, port and target, such as "5 5060 sip.example.com", not ${quoted(given)}.${hint}`,
    )
  }
  return `${uint16(weight, 'weight', given)} ${uint16(port, 'port', given)} ${serviceTarget(target)}`
}

function uint16(text: string, what: string, given: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Infinity
  if (number > 65535) throw badRequest('value', `must have a ${what} from 0 to 65535, not ${quoted(given)}.`)
  return number
}
