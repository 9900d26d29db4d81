import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

/** The forms of a stored content, by their names in HTTP (RFC 9110, section 8.4.1). */
export type Encoding = 'br' | 'gzip' | 'identity'

const known: readonly Encoding[] = ['br', 'gzip', 'identity']

/** Clients choose the values, so only so many are kept. Browsers have few. */
const keptMax = 500

/** In characters. A longer value is not read: its reading would block the event loop. */
const headerMax = 200
const unread: Accepted = { encodings: ['identity'], key: 'I' }

const kept = new LRUCache<string, Accepted>({ max: keptMax })

/** What a client accepts. */
export interface Accepted {
  /** The preferred one first. */
  readonly encodings: readonly Encoding[]
  /** Equal for equal encodings, in capital letters. */
  readonly key: string
}

const letters = { br: 'B', gzip: 'G', identity: 'I' }

/** The second parameter is missing in the types of the library. */
interface WithPreference {
  encodings(available: string[], options: { readonly preferred: string[] }): string[]
}

/**
 * The encodings that a client accepts, the preferred one first: Brotli, then gzip, if the client does not rank them. At the end, the
 * content as it is, also for a client that accepts none of its forms (RFC 9110, section 12.5.3).
 * @param header the value of Accept-Encoding
 */
export function acceptedEncodings(header = ''): Accepted {
  if (header.length > headerMax) return unread
  const before = kept.get(header)
  if (before) return before
  const negotiator: WithPreference = new Negotiator({ headers: { 'accept-encoding': header } })
  const ranked = negotiator.encodings([...known], { preferred: [...known] })
  const encodings = [...new Set([...(ranked as Encoding[]), 'identity' as const])]
  const accepted = { encodings, key: encodings.map((encoding) => letters[encoding]).join('') }
  kept.set(header, accepted)
  return accepted
}
