import { randomBytes } from 'node:crypto'
import { prepared } from '../../../db/prepared.js'
import type { ZoneKey } from '../zones/verified-store.js'
import { columns, type Claim } from './claim.js'

/** The claim of one account on one zone. */

/** Served by dns_claim_of_account (account_id, zone) or dns_claim_by_zone (zone, account_id). */
export const ownClaim = prepared((db, p: ZoneKey) =>
  db.selectFrom('dns_claim').where('account_id', '=', p.accountId).where('zone', '=', p.zone).select(columns),
)

/** A no-op if the account has a claim on the zone, or if it would be the second verified claim on it. */
export const insertClaim = prepared(
  (db, p: ZoneKey & Pick<Claim, 'status' | 'method' | 'txtValue'> & { now: number }) =>
    db
      .insertInto('dns_claim')
      .values({
        account_id: p.accountId,
        zone: p.zone,
        status: p.status,
        method: p.method,
        txt_value: p.txtValue,
        created_at: p.now,
      })
      .onConflict((conflict) => conflict.doNothing()),
)

/** The value of a TXT challenge: 192 bits in 32 characters. */
export const newTxtValue = () => randomBytes(24).toString('base64url')
