import { sql } from 'kysely'
import type { SecretIdentity } from '../../vault/port.js'

/** What identifies the row of a certificate, and decides whom it belongs to. System store. */

/** The names of one certificate, sorted, as a JSON array: they identify it through all renewals. */
export type NamesKey = string

export const namesKeyOf = (names: readonly string[]): NamesKey => JSON.stringify(names.toSorted())
export const namesOf = (key: NamesKey): readonly string[] => JSON.parse(key) as string[]

/**
 * The condition that no other account has verified the zone of a certificate: otherwise it is neither served nor ordered. Served by
 * dns_claim_verified (zone), a partial index that needs the literal status. A subquery for each row: PostgreSQL could read all claims.
 */
export const isNotOfOthers = sql<boolean>`coalesce((select dns_claim.account_id from dns_claim
  where dns_claim.zone = certificate.zone and dns_claim.status = 'verified'), certificate.account_id, 0)
  = coalesce(certificate.account_id, 0)`

/** What the key of a certificate is encrypted for. @param accountId null for one of the server's own */
export const certificateIdentity = (accountId: number | null, names: NamesKey): SecretIdentity => [
  'certificate',
  accountId ?? 0,
  names,
]
