import type { Kysely } from 'kysely'

/** Pages of the claims of an account, the newest first. */
export async function claimPages(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('dns_claim_by_account').on('dns_claim').columns(['account_id', 'id']).execute()
}
