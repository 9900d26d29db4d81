import { sql, type Kysely } from 'kysely'

/**
 * Claims by the last two labels of their zones: a claim conflicts with those on zones above and below it, which have them in common.
 * Neither database has a function for labels: `rtrim` with all characters but the dot removes the last one.
 */
export async function nestedClaims(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('dns_claim_reverse').execute()
  await sql`create index dns_claim_by_domain on dns_claim (substr(zone,
    length(rtrim(rtrim(rtrim(zone, replace(zone, '.', '')), '.'), replace(zone, '.', ''))) + 1), zone, account_id)`.execute(
    db,
  )
}
