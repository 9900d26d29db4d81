import { badRequest } from '@svc/contract/errors'
import { parseName } from '../../../ports/dns/presentation/name.js'
import { quoted } from '../../../shared/quoted.js'
import { hostName, relativeHost } from './host.js'

/** The host that a list is limited to: relative to the zone, or a full name. */
interface Filter {
  readonly host?: string
  readonly name?: string
}

/** @param zone canonical @returns undefined for all hosts @throws ApiError `bad_request` */
export function wantedHost(zone: string, { host, name }: Filter): string | undefined {
  if (name === undefined) return host === undefined ? undefined : hostName(zone, host)
  if (host !== undefined) throw badRequest('name', 'cannot be combined with host: send one of them')
  const { labels } = parseName(name, { underscores: true, wildcard: true })
  const found = labels && relativeHost(zone, labels.join('.'))
  if (found !== undefined) return found
  throw badRequest(
    'name',
    `must be ${zone} or a full name below it, not ${quoted(name)}: send a name without the zone as host`,
  )
}
