import type { EventArea } from '@svc/contract/events'
import type { QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from './live-stream.js'

/** The first parts of the keys of what an area's events change. */
const keys: Readonly<Record<EventArea, readonly string[]>> = {
  account: ['account', 'keys', 'session'],
  dns: ['dns'],
  files: ['files', 'cdn'],
  cdn: ['cdn', 'files'],
  sites: ['sites'],
  packages: ['packages'],
  deployments: ['deployments'],
  sms: ['sms'],
  cred: ['cred'],
  domains: ['domains'],
  tls: ['tls', 'sites', 'domains'],
}
const keysOfArea: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(keys))

/** What asks other servers, or shows what the user is about to confirm. The page reads it when the user wants it. */
const isAskedFor = ([area, name]: QueryKey): boolean =>
  area === 'whois' ||
  area === 'public' ||
  area === 'search' ||
  (area === 'dns' && (name === 'delegation' || name === 'historyRevert'))

/** Whether an answer may have been changed by one of the events. @param events undefined for all that may have happened */
export function isChanged(
  queryKey: QueryKey,
  events: readonly Pick<LiveEvent, 'area' | 'zone'>[] | undefined,
): boolean {
  if (isAskedFor(queryKey)) return false
  if (events === undefined) return true
  const [first, second, third] = queryKey
  // Both have what happened last.
  if (first === 'overview' || (first === 'account' && second === 'eventList')) return true
  return events.some(({ area, zone }) => {
    if (!(keysOfArea.get(area) ?? [area]).some((key) => key === first)) return false
    return zone === undefined || second === 'zoneList' || third === zone
  })
}
