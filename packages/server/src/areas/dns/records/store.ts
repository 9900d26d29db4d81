import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { requireVerified, type ZoneKey } from '../zones/verified-store.js'
import { applyChange, planChange } from './change-store.js'
import { recordColumns } from './json.js'
import { recordLists } from './list-store.js'
import type { RecordPlan, ZoneCap } from './plan.js'
import { recordNotFound, type RecordChange, type StoredRecord } from './record.js'

/** A record of a verified zone. Subqueries, because joins take SQLite three times as long. */
const one = prepared((db, p: ZoneKey & { id: number }) =>
  db
    .selectFrom('dns_record')
    .where('id', '=', p.id)
    .where('dns_record.account_id', '=', p.accountId)
    .where('zone_id', '=', (of) =>
      of
        .selectFrom('dns_zone')
        .where('dns_zone.name', '=', (zone) =>
          zone
            .selectFrom('dns_claim')
            .where('account_id', '=', p.accountId)
            .where('dns_claim.zone', '=', p.zone)
            .where('status', '=', 'verified')
            .select('dns_claim.zone'),
        )
        .select('dns_zone.id'),
    )
    .select(recordColumns),
)

const keyOf = (account: Account, zone: string): ZoneKey => ({ accountId: account.id, zone })

export type RecordStore = ReturnType<typeof recordStore>

/** Records of zones that are verified for the account; for any other zone every method throws `forbidden_zone`. */
export const recordStore = (db: Database, cap: ZoneCap) => ({
  requireVerified: async (account: Account, zone: string): Promise<void> => {
    await requireVerified(db, account, zone)
  },

  list: recordLists(db),

  /** @throws ApiError `not_found` */
  get: async (account: Account, zone: string, id: number): Promise<StoredRecord> => {
    const record = await db.one(one, { ...keyOf(account, zone), id })
    if (record !== undefined) return record
    await requireVerified(db, account, zone)
    throw recordNotFound()
  },

  /** Plans a change without applying it. @param now RFC 3339 @throws as `apply` */
  plan: (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
    planChange(db, keyOf(account, zone), change, cap, now),

  /**
   * Applies a change.
   * @param now RFC 3339: the time of the change
   * @returns the plan with the new serial
   * @throws ApiError `not_found`; `bad_request` for a record that conflicts with another one, or a zone beyond its cap
   */
  apply: (account: Account, zone: string, change: RecordChange, now: string): Promise<RecordPlan> =>
    db.write(applyChange, keyOf(account, zone), change, cap, now),
})
