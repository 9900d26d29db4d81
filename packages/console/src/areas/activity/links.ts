import type { AccountEvent } from './queries.js'

/** Paths of the pages that events name, below /console. */

/** The actions after which the thing has no page. */
const endings: ReadonlySet<string> = new Set([
  'account.token_revoke',
  'dns.zone_release',
  'dns.zone_lost',
  'dns.zone_delete',
  'dns.claim_withdraw',
  'files.file_delete',
  'sites.site_delete',
  'packages.package_delete',
  'deployments.deployment_delete',
  'sms.key_revoke',
  'cred.credential_delete',
  'domains.domain_remove',
])

type LinkOf = (
  event: Pick<AccountEvent, 'action' | 'object' | 'before' | 'after'>,
  object: string,
) => string | undefined

const idOf = ({ before, after }: Pick<AccountEvent, 'before' | 'after'>): string | undefined => {
  const id = after?.['id'] ?? before?.['id']
  return typeof id === 'number' ? String(id) : undefined
}

/** By the id of the thing, which may be in the fields of its events. @param search finds the thing by its name */
const byId =
  (path: string, search?: string): LinkOf =>
  (event, object) => {
    const id = idOf(event)
    if (id !== undefined) return `${path}/${id}`
    return search === undefined ? undefined : `${path}?${search}=${object}`
  }

const links: ReadonlyMap<string, LinkOf> = new Map<string, LinkOf>([
  ['account', () => '/account/keys'],
  [
    'dns',
    ({ action }, object) => {
      if (action.startsWith('secondary_')) return '/dns/secondaries'
      return action === 'zone_change' ? `/dns/${object}/history` : `/dns/${object}`
    },
  ],
  ['files', byId('/files')],
  ['cdn', byId('/files')],
  ['sites', (_, object) => `/sites/${object}`],
  ['packages', (_, object) => `/packages/${object}`],
  ['deployments', byId('/deployments', 'q')],
  ['sms', () => '/messages/keys'],
  ['cred', () => '/credentials'],
  ['domains', (_, object) => `/domains?domain=${object}`],
  ['tls', (_, object) => `/certificates?q=${object}`],
])

/** The page of the thing of an event; undefined if it has none, or not any more. */
export function thingPath(
  event: Pick<AccountEvent, 'area' | 'action' | 'object' | 'before' | 'after'>,
): string | undefined {
  if (event.object === '' || endings.has(`${event.area}.${event.action}`)) return undefined
  return links.get(event.area)?.(event, encodeURIComponent(event.object))
}

/** The row of the API key that did it; undefined if no API key did. */
export const actorPath = ({ kind, id }: AccountEvent['actor']): string | undefined =>
  kind === 'token' && id !== null ? `/account/keys?key=${String(id)}` : undefined
