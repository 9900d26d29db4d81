import { failingCountMax } from '@svc/contract/limits'
import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { addNotices, noticeTimes, type NoticeTimes } from '../../../ports/mail/outbox/notices.js'

const dayMs = 86_400_000

/** Of the webhooks of forms and links, the topic is a number. */
const topicPrefix = 'events-'

/** One for each webhook. Served by account_webhook_delivery_failing. */
const add = prepared((db, p: NoticeTimes & { after: number; before: number }) =>
  addNotices(
    db,
    'delivery-failure',
    p,
    sql`select distinct account_id, ${sql.lit(topicPrefix)} || cast(webhook_id as text) as topic from account_webhook_delivery
      where failing_since > ${p.after} and failing_since < ${p.before}`,
  ),
)

/** Failures that began earlier have had their e-mail. */
const oldestMs = 7 * dayMs

const addWebhookNotices = unit(import.meta, 'addWebhookNotices', async (tx, now: number) => {
  tx.send(add, { ...noticeTimes('delivery-failure', now), after: now - oldestMs, before: now - dayMs })
})

/** Served by the primary keys: a webhook has at most 1,100 deliveries. */
const failing = prepared((db, p: { accountId: number; id: number }) =>
  db
    .selectFrom('account_webhook')
    .innerJoin('account_webhook_delivery as delivery', (join) =>
      join
        .onRef('delivery.account_id', '=', 'account_webhook.account_id')
        .onRef('delivery.webhook_id', '=', 'account_webhook.id'),
    )
    .where('account_webhook.id', '=', p.id)
    .where('account_webhook.account_id', '=', p.accountId)
    .where('delivery.failing_since', 'is not', null)
    .select(['account_webhook.url as url', 'delivery.failing_since as since'])
    .$narrowType<{ since: number }>()
    .orderBy('delivery.failing_since')
    .limit(sql<number>`${sql.lit(failingCountMax)}`),
)

/** Webhooks whose deliveries have failed for a day. System store: `add` is about those of all accounts. */
export const webhookNoticeStore = (db: Database) => ({
  /** Adds the e-mails that are due, at most one a week about a webhook. */
  add: (now: number): Promise<void> => db.write(addWebhookNotices, now),

  /** @returns undefined for the topic of another area, a webhook that has been deleted, or whose deliveries no longer fail */
  async failing(accountId: number, topic: string) {
    if (!topic.startsWith(topicPrefix)) return undefined
    const rows = await db.all(failing, { accountId, id: Number(topic.slice(topicPrefix.length)) })
    const [first] = rows
    return first && { host: new URL(first.url).host, since: first.since, count: rows.length }
  },
})
