import { badRequest } from '@svc/contract/errors'
import { quoted } from '../../../shared/quoted.js'
import { hostName } from './host.js'

const anyLabels = '**'

/**
 * The hosts of a rule of a token: a host, in which `*` as the first label stands for one label, and `**` as the last for one or more.
 * @param zone canonical @returns in the canonical form of hosts
 * @throws ApiError `bad_request` for hosts that no record can have
 */
export function ruleHost(zone: string, given: string): string {
  if (given === anyLabels) return given
  if (given.includes(anyLabels) && given.indexOf(anyLabels) !== given.length - anyLabels.length)
    throw badRequest('host', `must have ** as its last label only, not ${quoted(given)}`)
  if (!given.endsWith(`.${anyLabels}`)) return hostName(zone, given)
  const first = given.slice(0, -anyLabels.length - 1)
  // With the shortest label that can follow, the name must not be too long.
  if (first !== '@' && first !== '') return `${hostName(zone, `${first}.a`).slice(0, -'.a'.length)}.${anyLabels}`
  throw badRequest('host', `must begin with a label, such as _acme-challenge.**, not ${quoted(given)}`)
}
