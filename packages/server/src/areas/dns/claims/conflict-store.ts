import { sql } from 'kysely'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isReverse } from '../../../ports/dns/domain-names.js'

/** Conflicting claims: claims on the same zone; of reverse zones also claims above and below. */

/** Locks until the transaction ends. A no-op on SQLite, which has one writer at a time. */
const lock = prepared((db, p: { key: string }, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended(${p.key}, 0))` : sql`1`).as('held'),
  ),
)

/**
 * Locks the claims that could conflict with a claim on the zone, until the transaction ends. The index dns_claim_verified
 * keeps two accounts from holding one zone; only this lock keeps them from holding nested reverse zones.
 */
export function lockClaims(tx: Transaction, zone: string): void {
  tx.send(lock, { key: `dns_claim ${isReverse(zone) ? 'arpa' : zone}` })
}

const columns = ['id', 'zone', 'status', 'method'] as const

/** Served by dns_claim_by_zone (zone, account_id). */
const onZone = prepared((db, p: { accountId: number; zone: string }) =>
  db.selectFrom('dns_claim').where('zone', '=', p.zone).where('account_id', '!=', p.accountId).select(columns),
)

/** Reads the index dns_claim_reverse as a whole: it has only the reverse zones. */
const onReverseZone = prepared((db, p: { accountId: number; zone: string; below: string }) =>
  db
    .selectFrom('dns_claim')
    .where(sql<boolean>`zone like '%.arpa'`)
    .where((or) =>
      or.or([or('zone', '=', p.zone), or('zone', 'like', p.below), sql<boolean>`${p.zone} like '%.' || zone`]),
    )
    .where('account_id', '!=', p.accountId)
    .select(columns),
)

/** The claims of other accounts that conflict with a claim on this zone. */
export const conflictingClaims = (reader: Reader, accountId: number, zone: string) =>
  isReverse(zone)
    ? reader.all(onReverseZone, { accountId, zone, below: `%.${zone}` })
    : reader.all(onZone, { accountId, zone })
