import type { FixedHead } from '../../../http/area.js'
import type { Deployment } from '../deployment.js'
import { linkOptionsOf } from './options.js'

/** An enabled short link, ready to be answered. Times are milliseconds since the epoch. */
export interface Link {
  readonly id: number
  readonly target: string
  /** Status and headers of its redirect, without the query of a request. */
  readonly head: FixedHead
  /** Whether the query of a request is appended to the target. */
  readonly forwardsQuery: boolean
  readonly expiresAt: number | null
  readonly maxUses: number | null
}

/** Seconds. Browsers keep a 301 without an age forever, and would not see that its target has changed. */
const permanentAge = 86_400

export type LinkRow = Pick<Deployment, 'id' | 'settings' | 'expiresAt' | 'maxUses'> & { readonly target: string }

export function toLink({ id, target, settings, expiresAt, maxUses }: LinkRow): Link {
  const { status, forward_query: forwardsQuery } = linkOptionsOf({ settings })
  const isLimited = expiresAt !== null || maxUses !== null
  // A redirect from a cache is not counted, and has no limits.
  const isCached = status === 301 && !isLimited
  const cacheControl = isCached ? `public, max-age=${String(permanentAge)}` : 'no-store'
  const head = { status, headers: { location: target, 'cache-control': cacheControl } }
  return { id, target, head, forwardsQuery, expiresAt, maxUses }
}

export const isExpired = ({ expiresAt }: Pick<Link, 'expiresAt'>): boolean =>
  expiresAt !== null && expiresAt <= Date.now()

/** In characters. Many clients refuse headers beyond 8 KiB. */
const forwardedMax = 4_096

/** Whether a query cannot be forwarded. */
export const isTooLong = (link: Link, query: string): boolean => link.forwardsQuery && query.length > forwardedMax

/** The head of a redirect for a request with this query. @param query as it was sent, without the question mark */
export function headFor(link: Link, query: string): FixedHead {
  if (query === '' || !link.forwardsQuery) return link.head
  const { status, headers } = link.head
  return { status, headers: { ...headers, location: withQuery(link.target, query) } }
}

/** Appends the parameters of a query whose names the target does not have. They keep their spelling. */
export function withQuery(target: string, query: string): string {
  const url = new URL(target)
  // Not `url.searchParams`: it would then be filled again with each change of `url.search`.
  const own = new Set(new URLSearchParams(url.search).keys())
  const added = query.split('&').filter((pair) => pair !== '' && !own.has(nameOf(pair)))
  if (added.length > 0) url.search = [...(url.search === '' ? [] : [url.search.slice(1)]), ...added].join('&')
  return url.href
}

/**
 * The decoded name of a parameter. A query can have thousands: `split` for each, or a parser, would take most of the time of a request.
 */
function nameOf(pair: string): string {
  const end = pair.indexOf('=')
  const sent = end === -1 ? pair : pair.slice(0, end)
  if (!encoded.test(sent)) return sent
  const [name = ''] = new URLSearchParams(sent).keys()
  return name
}

const encoded = /[%+]/
