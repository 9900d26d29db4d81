import { sql } from 'kysely'
import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isReverse } from '../../../ports/dns/domain-names.js'

/** Which claims are in each other's way: those on one zone and, of reverse zones, those above and below as well. */

/** Until the transaction ends. SQLite has one writer at a time. */
const lock = prepared((db, p: { key: string }, dialect) =>
  db.selectNoFrom(
    (dialect === 'postgres' ? sql`pg_advisory_xact_lock(hashtextextended(${p.key}, 0))` : sql`1`).as('held'),
  ),
)

/**
 * Lets the writes that could contest a zone take turns. That two accounts never hold one zone is the database's to
 * refuse (dns_claim_verified); that they never hold two reverse zones of which one lies within the other is up to this.
 */
export async function takeTurns(tx: Transaction, zone: string): Promise<void> {
  await tx.run(lock, { key: `dns_claim ${isReverse(zone) ? 'arpa' : zone}` })
}

const columns = ['id', 'zone', 'status', 'method'] as const

/** Served by dns_claim_by_zone (zone). */
const onZone = prepared((db, p: { accountId: number; zone: string }) =>
  db.selectFrom('dns_claim').where('zone', '=', p.zone).where('account_id', '!=', p.accountId).select(columns),
)

/** Served by dns_claim_reverse, which knows the reverse zones only. */
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

/** The claims of other accounts that a claim on this zone contests. */
export const rivals = (reader: Reader, accountId: number, zone: string) =>
  isReverse(zone)
    ? reader.all(onReverseZone, { accountId, zone, below: `%.${zone}` })
    : reader.all(onZone, { accountId, zone })
