import { timestamp } from '../../../shared/timestamp.js'
import { statusOf } from './limits.js'
import type { Token } from './rows.js'

/** A token in answers of the API, without its value. */
export function tokenToJson(token: Token) {
  const { id, name, prefix, scopes, createdAt, lastUsedAt, lastUsedNetwork, limits, tsig, hasUpdateKey } = token
  return {
    id,
    name,
    prefix,
    scopes: [...scopes],
    created_at: timestamp(createdAt),
    last_used_at: timeOrNull(lastUsedAt),
    last_used_network: lastUsedNetwork,
    expires_at: timeOrNull(limits.expiresAt),
    unused_days: limits.unusedDays,
    networks: [...limits.networks],
    rules: limits.rules,
    tsig,
    has_update_key: hasUpdateKey,
    status: statusOf(token, Date.now()),
  }
}

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms))
