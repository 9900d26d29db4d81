import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { addNotices, noticeTimes, type NoticeTimes } from '../../../ports/mail/outbox/notices.js'
import { failingOf } from './failing-store.js'

const dayMs = 86_400_000

/** One for each webhook. Served by webhook_delivery_failing_since. */
const add = prepared((db, p: NoticeTimes & { after: number; before: number }) =>
  addNotices(
    db,
    'delivery-failure',
    p,
    sql`select distinct account_id, cast(deployment_id as text) as topic from webhook_delivery
      where failing_since > ${p.after} and failing_since < ${p.before}`,
  ),
)

/** Failures that began earlier have had their e-mail. */
const oldestMs = 7 * dayMs

const addDeliveryNotices = unit(import.meta, 'addDeliveryNotices', async (tx, now: number) => {
  tx.send(add, { ...noticeTimes('delivery-failure', now), after: now - oldestMs, before: now - dayMs })
})

/** Served by the primary key. */
const webhook = prepared((db, p: { accountId: number; id: number }) =>
  db.selectFrom('deployment').where('id', '=', p.id).where('account_id', '=', p.accountId).select(['id', 'slug']),
)

/** Webhooks whose deliveries have failed for a day. System store: `add` is about those of all accounts. */
export const deliveryNoticeStore = (db: Database) => ({
  /** Adds the e-mails that are due, at most one a week about a webhook. */
  add: (now: number): Promise<void> => db.write(addDeliveryNotices, now),

  /** @returns undefined for a webhook that has been deleted, or whose deliveries no longer fail */
  failing: async (accountId: number, id: number) => {
    const [found, failing] = await Promise.all([db.one(webhook, { accountId, id }), failingOf(db, id)])
    return found === undefined || failing === null ? undefined : { ...found, ...failing }
  },
})
