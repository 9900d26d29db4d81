import type { Kysely } from 'kysely'

/** Indexes without which a query would read rows of other accounts. */
export async function indexes(db: Kysely<unknown>): Promise<void> {
  // With the account: many accounts may have a pending claim on the same zone.
  await db.schema.dropIndex('dns_claim_by_zone').execute()
  await db.schema.createIndex('dns_claim_by_zone').on('dns_claim').columns(['zone', 'account_id']).execute()
}
