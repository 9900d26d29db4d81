import { badRequest } from '@svc/contract/errors'
import { tokenNetworksMax, type TokenStatus } from '@svc/contract/limits'
import { formatNetwork, isInNetworks, parseNetwork, type IpNetwork } from '../../../shared/ip-network.js'
import { quoted } from '../../../shared/quoted.js'
import type { Rules } from '../../../shared/rules.js'
import { parseTime } from '../../../shared/timestamp.js'

/** When, from where and for which things a token works. */
export interface TokenLimits {
  /** In milliseconds since the epoch; null for no end. */
  readonly expiresAt: number | null
  /** It ends after so many days without a use; null for no such end. */
  readonly unusedDays: number | null
  /** In CIDR notation; empty for every network. */
  readonly networks: readonly string[]
  readonly isPaused: boolean
  /** Null for a token without rules. */
  readonly rules: Rules | null
}

export const unlimited: TokenLimits = { expiresAt: null, unusedDays: null, networks: [], isPaused: false, rules: null }

const dayMs = 86_400_000

/** A use is saved to the minute, and up to half a minute later: it must not be missing when the days end. */
const unsavedUseMs = 5 * 60_000

interface Lived {
  readonly limits: TokenLimits
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** Of several reasons, the pause is named: it is the one that the owner can end. @param now in milliseconds since the epoch */
export function statusOf({ limits, createdAt, lastUsedAt }: Lived, now: number): TokenStatus {
  const { isPaused, expiresAt, unusedDays } = limits
  if (isPaused) return 'paused'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  const isUnused = unusedDays !== null && now - (lastUsedAt ?? createdAt) > unusedDays * dayMs + unsavedUseMs
  return isUnused ? 'unused' : 'active'
}

/** Checks at each use whether a token works at this time, from this address. */
export type CheckUse = (now: number, ip: string) => boolean

/** @returns undefined for a token that works always and from everywhere */
export function checkUse(token: Lived): CheckUse | undefined {
  const { expiresAt, unusedDays, networks, isPaused } = token.limits
  if (expiresAt === null && unusedDays === null && networks.length === 0 && !isPaused) return undefined
  const parsed = networks.map(parseNetwork).filter((network): network is IpNetwork => network !== undefined)
  // By the number of texts: a damaged row must not open the token for all networks.
  return (now, ip) => statusOf(token, now) === 'active' && (networks.length === 0 || isInNetworks(ip, parsed))
}

/** @returns the networks in canonical form, each once @throws ApiError `bad_request` */
export function checkNetworks(given: readonly string[]): readonly string[] {
  const networks = given.map((text) => {
    const network = parseNetwork(text.trim())
    if (network === undefined)
      throw badRequest(
        'networks',
        `must list addresses and networks such as 192.0.2.0/24 or 2001:db8::/32, not ${quoted(text)}`,
      )
    return formatNetwork(network)
  })
  const distinct = [...new Set(networks)]
  if (distinct.length > tokenNetworksMax)
    throw badRequest(
      'networks',
      `must have at most ${String(tokenNetworksMax)} networks, not ${String(distinct.length)}`,
    )
  return distinct
}

/** @param now in milliseconds since the epoch @throws ApiError `bad_request` for a time that has passed */
export function checkExpiry(at: string | null, now: number): number | null {
  if (at === null) return null
  const ms = parseTime(at)
  if (ms === undefined) throw badRequest('expires_at', `must be a time such as 2027-01-31T00:00:00Z, not ${quoted(at)}`)
  if (ms <= now) throw badRequest('expires_at', `must be in the future, not ${at}: revoke or pause the token instead`)
  return ms
}
