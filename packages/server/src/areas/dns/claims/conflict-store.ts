import { sql } from 'kysely'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isBelow, lastLabels } from '../../../ports/dns/domain-names.js'

/**
 * Conflicting claims: those of other accounts on the same zone, and on zones above and below it. The zones that exist decide, not the
 * Public Suffix List: a private suffix between two zones does not mean that the holder of the upper one has delegated the lower one.
 */

/** Locks until the transaction ends. A no-op on SQLite, which has one writer at a time. */
const lock = prepared((db, p: { key: string }, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended(${p.key}, 0))` : sql`1`).as('held'),
  ),
)

/**
 * Locks the claims that could conflict with claims on the zones, until the transaction ends. The index dns_claim_verified
 * keeps two accounts from holding one zone; only this lock keeps them from holding zones above each other.
 */
export function lockClaims(tx: Transaction, ...zones: readonly string[]): void {
  // In one order, so that two transactions cannot deadlock.
  for (const key of [...new Set(zones.map(lastLabels))].sort()) tx.send(lock, { key: `dns_claim ${key}` })
}

/** As in the index dns_claim_by_domain, which serves no other spelling of it. */
const lastLabelsOfZone = sql<string>`substr(zone,
  length(rtrim(rtrim(rtrim(zone, replace(zone, '.', '')), '.'), replace(zone, '.', ''))) + 1)`

/** Served by dns_claim_by_domain: zones above each other have the last two labels in common. */
const conflicting = prepared((db, p: { accountId: number; zone: string; below: string; lastLabels: string }) =>
  db
    .selectFrom('dns_claim')
    .where(lastLabelsOfZone, '=', p.lastLabels)
    .where((or) =>
      or.or([or('zone', '=', p.zone), or('zone', 'like', p.below), sql<boolean>`${p.zone} like '%.' || zone`]),
    )
    .where('account_id', '!=', p.accountId)
    .select(['id', 'zone', 'status', 'method']),
)

/** The claims of other accounts that conflict with a claim on this zone. */
export const conflictingClaims = (reader: Reader, accountId: number, zone: string) =>
  reader.all(conflicting, { accountId, zone, below: `%.${zone}`, lastLabels: lastLabels(zone) })

/**
 * Whether a proof of control of a zone also speaks against a conflicting claim. It does for the zone itself, and for a zone below it
 * that has not been proven. It does not for a zone above it: a tenant who controls one name must not get the landlord's zone.
 */
export const isOverruled = (
  { zone, status, method }: { readonly zone: string; readonly status: string; readonly method: string },
  proven: string,
): boolean => zone === proven || (isBelow(zone, proven) && !(status === 'verified' && method === 'txt'))
