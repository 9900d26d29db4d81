import type { ClaimStatus } from '@svc/contract'

/** A claim as its owner sees it (specification, section 2.2). */
export interface Claim {
  readonly zone: string
  readonly status: ClaimStatus
  /** How control was proven or, while the claim is pending, must be proven. */
  readonly method: 'auto' | 'txt' | 'ns'
  /** The TXT value to publish; null if the claim requires none. */
  readonly txtValue: string | null
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A row of dns_claim. */
export interface ClaimRow {
  zone: string
  status: ClaimStatus
  method: Claim['method']
  txt_value: string | null
  created_at: number
}

export const columns = ['zone', 'status', 'method', 'txt_value', 'created_at'] as const

export const toClaim = ({ zone, status, method, txt_value, created_at }: ClaimRow): Claim => ({
  zone,
  status,
  method,
  txtValue: txt_value,
  createdAt: created_at,
})

/** Conditions of a claim that are not in the database. */
export interface ClaimTerms {
  /** Whether the zone counts as claimed by the operator: then every claim of an account on it is contested. */
  readonly isHeldByOperator: boolean
}

/** A claim after a write. */
export interface Claimed {
  readonly claim: Claim
  /** Whether this write verified it: from now on the zone serves the records of its account. */
  readonly isNewlyVerified: boolean
}

/** A write that left the claim as it was. */
export const unchanged = (row: ClaimRow): Claimed => ({ claim: toClaim(row), isNewlyVerified: false })
