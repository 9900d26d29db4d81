import type { Registration } from '../../../ports/registry/port.js'
import { timestamp } from '../../../shared/timestamp.js'

/** The stored part of a registration, in the form of the answers. */
export interface ShownRegistration {
  readonly registrar: string | null
  readonly registered_at: string | null
  readonly expires_at: string | null
  readonly nameservers: string[]
  readonly statuses: string[]
  readonly synced_at: string | null
}

/** What a registry has given. */
export type FreshRegistration = Pick<Registration, 'registrar' | 'createdAt' | 'expiresAt' | 'nameservers' | 'statuses'>

/** A domain before its first refresh. */
export const unknownRegistration: ShownRegistration = {
  registrar: null,
  registered_at: null,
  expires_at: null,
  nameservers: [],
  statuses: [],
  synced_at: null,
}

/** Limits on texts of registries, in characters and entries: 10,000 registrations are listed in one answer. */
const textMaxLength = 255
const entriesMax = 16

/** From 1970 to 9999, which RFC 3339 and calendars can write. */
const latestTime = Date.UTC(9999, 11, 31)

/**
 * Adds an answer of the registry to the known registration. A missing value keeps the known one: registries leave out fields at
 * times, and a domain that has lost all its nameservers is rarer than such an answer.
 * @param fetchedAt milliseconds since the epoch
 */
export const mergeRegistration = (
  known: ShownRegistration,
  fresh: FreshRegistration,
  fetchedAt: number,
): ShownRegistration => ({
  registrar: shortText(fresh.registrar ?? '') || known.registrar,
  registered_at: time(fresh.createdAt) ?? known.registered_at,
  expires_at: time(fresh.expiresAt) ?? known.expires_at,
  nameservers: shortList(fresh.nameservers) ?? known.nameservers,
  statuses: shortList(fresh.statuses) ?? known.statuses,
  synced_at: timestamp(fetchedAt),
})

const time = (ms: number | null): string | null => (ms !== null && ms >= 0 && ms <= latestTime ? timestamp(ms) : null)

function shortList(texts: readonly string[]): string[] | undefined {
  const short = texts.slice(0, entriesMax).map(shortText)
  return short.length > 0 ? short : undefined
}

/** One line without control and format characters. */
const shortText = (text: string): string =>
  text
    .slice(0, textMaxLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
