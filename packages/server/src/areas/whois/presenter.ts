import type { Registration, RegistryAnswer } from '../../ports/registry/port.js'
import { timestamp } from '../../shared/timestamp.js'

/** The answer about a registered domain, as the contract declares it. */
export function toJson(registration: Registration, { fetchedAt, isCached }: RegistryAnswer): string {
  const { domain, registrar, createdAt, updatedAt, expiresAt, nameservers, statuses, dnssec, source, raw } =
    registration
  return JSON.stringify({
    domain,
    registrar,
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    expires_at: time(expiresAt),
    nameservers,
    statuses,
    dnssec,
    source,
    raw,
    cached: isCached,
    fetched_at: timestamp(fetchedAt),
  })
}

const time = (ms: number | null): string | null => (ms === null ? null : timestamp(ms))
