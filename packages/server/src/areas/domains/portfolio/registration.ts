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

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'

const isTimeOrNull = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && time(Date.parse(value)) === value)

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= entriesMax && value.every((text) => typeof text === 'string')

/** The form of each field. */
const fields: Readonly<Record<keyof ShownRegistration, (value: unknown) => boolean>> = {
  registrar: isTextOrNull,
  registered_at: isTimeOrNull,
  expires_at: isTimeOrNull,
  nameservers: isTexts,
  statuses: isTexts,
  synced_at: isTimeOrNull,
}

/** Whether a value has the fields of a stored registration, and no others: lists contain its text unchanged. */
export const isShownRegistration = (value: unknown): value is ShownRegistration =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === Object.keys(fields).length &&
  Object.entries(fields).every(([name, isValid]) => isValid((value as Record<string, unknown>)[name]))
