import type { TokenScope } from '@svc/contract'
import type { TsigAlgorithm } from '@svc/contract/limits'
import { unlimited, type TokenLimits } from './limits.js'
import { parseRules } from './stored-rules.js'
import { tsigName } from './tsig-name.js'

/** A token as its owner sees it. Times are milliseconds since the epoch. */
export interface Token {
  readonly id: number
  /** Unique in the account. */
  readonly name: string
  /** The first characters of the value. */
  readonly prefix: string
  readonly scopes: readonly TokenScope[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
  /** Null before the first use. */
  readonly lastUsedNetwork: string | null
  readonly hasUpdateKey: boolean
  readonly limits: TokenLimits
  /** Null for a Bearer token. */
  readonly tsig: { readonly name: string; readonly algorithm: TsigAlgorithm } | null
}

export interface LimitsRow {
  expires_at: number | null
  unused_days: number | null
  networks: string
  paused: number
  rules: string | null
}

export interface TokenRow extends LimitsRow {
  id: number
  name: string
  prefix: string
  scopes: string
  created_at: number
  last_used_at: number | null
  last_used_network: string | null
  tsig_algorithm: TsigAlgorithm | null
  tsig_name: string | null
  update_hash: Uint8Array | null
}

export const limitsColumns = ['expires_at', 'unused_days', 'networks', 'paused', 'rules'] as const

/** The columns of a token that its owner sees. */
export const shown = [
  'id',
  'name',
  'prefix',
  'scopes',
  'created_at',
  'last_used_at',
  'last_used_network',
  'update_hash',
  ...limitsColumns,
  'tsig_algorithm',
  tsigName,
] as const

export const toLimits = ({ expires_at, unused_days, networks, paused, rules }: LimitsRow): TokenLimits => ({
  expiresAt: expires_at,
  unusedDays: unused_days,
  networks: networks === '[]' ? unlimited.networks : (JSON.parse(networks) as string[]),
  isPaused: paused === 1,
  rules: rules === null ? null : parseRules(rules),
})

export const toToken = ({
  id,
  name,
  prefix,
  scopes,
  created_at,
  last_used_at,
  last_used_network,
  tsig_algorithm: algorithm,
  tsig_name: tsigNameOf,
  update_hash,
  ...row
}: TokenRow): Token => ({
  id,
  name,
  prefix,
  scopes: toScopes(scopes),
  createdAt: created_at,
  lastUsedAt: last_used_at,
  lastUsedNetwork: last_used_network,
  hasUpdateKey: update_hash !== null,
  limits: toLimits(row),
  tsig: algorithm === null || tsigNameOf === null ? null : { name: tsigNameOf, algorithm },
})

export const toScopes = (text: string) => text.split(' ') as TokenScope[]
