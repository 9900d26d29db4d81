import { groupBy } from '@svc/contract/group-by'
import { eventsWaitingMax } from '@svc/contract/limits'
import { sql } from 'kysely'
import { isInNumbers, numberList } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { endOfPause } from '../../../ports/outbound/deliveries/retry.js'

/** Adds the deliveries of new events, behind a stored position. System store: those of all accounts. */

/** A webhook with what decides which events it gets. */
export interface Subscription {
  readonly id: number
  readonly accountId: number
  readonly events: string
  /** It gets the events behind this id. */
  readonly beginsAfter: number
}

/** An event for a webhook. */
export interface NewDelivery {
  readonly webhookId: number
  readonly eventId: number
}

/** The primary key and account_webhook_by_begin have the one row. Null without webhooks. */
const place = prepared((db, _: object) =>
  db.selectNoFrom([
    db.selectFrom('account_webhook_position').where('id', '=', sql.lit(1)).select('position').as('position'),
    db
      .selectFrom('account_webhook')
      .where('begins_after', '>=', sql.lit(0))
      .select('begins_after')
      .orderBy('begins_after')
      .limit(1)
      .as('beginsAfter'),
  ]),
)

/** Served by account_webhook_by_account. */
const ofAccounts = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('account_webhook')
    .where(isInNumbers('account_webhook.account_id', p.ids, dialect))
    .where(isServed('account_webhook.account_id'))
    .select([
      'account_webhook.id as id',
      'account_webhook.account_id as accountId',
      'account_webhook.events as events',
      'account_webhook.begins_after as beginsAfter',
    ]),
)

/** Locks the row until the transaction ends. The first delivery creates it. */
const lockPosition = prepared((db, _: object) =>
  db
    .insertInto('account_webhook_position')
    .values({ id: sql.lit(1), position: sql.lit(0) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ position: (row) => row.ref('account_webhook_position.position') }),
    )
    .returning('position'),
)

const setPosition = prepared((db, p: { position: number }) =>
  db.updateTable('account_webhook_position').where('id', '=', sql.lit(1)).set({ position: p.position }),
)

/** Served by the primary key. In the order of their ids, so that writers of several webhooks do not deadlock. */
const lockWebhooks = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('account_webhook')
    .where('id', 'in', numberList(p.ids, dialect))
    .select(['id', 'account_id as accountId', 'url', 'enabled', 'paused_until as pausedUntil'])
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** From a JSON list. */
const insertAll = prepared((db, p: { rows: string }, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.rows} as json))` : sql`json_each(${p.rows})`
  const number = (name: string) => sql`cast(value ->> ${sql.lit(name)} as bigint)`
  return db
    .insertInto('account_webhook_delivery')
    .columns(['webhook_id', 'event_id', 'account_id', 'host', 'state', 'due_at', 'attempts', 'updated_at'])
    .expression(
      sql`select ${number('webhookId')}, ${number('eventId')}, ${number('accountId')}, value ->> 'host', 'waiting',
        ${number('dueAt')}, 0, ${number('now')} from ${rows} where true`,
    )
    .onConflict((conflict) => conflict.doNothing())
})

/** The oldest of each webhook that has too many. Served by the primary key. */
const dropExcess = prepared((db, p: { accounts: string; ids: string; kept: number }, dialect) => ({
  compile: () =>
    sql<{ id: number }>`delete from account_webhook_delivery where (account_id, webhook_id, event_id) in (
      select account_id, webhook_id, event_id from (
        select account_id, webhook_id, event_id, row_number() over (partition by webhook_id order by event_id desc) as place
        from account_webhook_delivery where ${isInNumbers('account_id', p.accounts, dialect)}
          and ${isInNumbers('webhook_id', p.ids, dialect)} and state = 'waiting'
      ) as ranked where place > ${p.kept}
    ) returning webhook_id as id`.compile(db),
}))

/** From a JSON list. Served by the primary key. */
const countDropped = prepared((db, p: { rows: string }, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.rows} as json))` : sql`json_each(${p.rows})`
  return {
    compile: () =>
      sql<never>`update account_webhook set dropped = dropped + given.count from (
        select cast(value ->> 'id' as bigint) as id, cast(value ->> 'count' as bigint) as count from ${rows}
      ) as given where account_webhook.id = given.id`.compile(db),
  }
})

/** A process that has read the same events adds none of them again. */
const addDeliveries = unit(
  import.meta,
  'addDeliveries',
  () => 'account webhook position',
  async (tx, deliveries: readonly NewDelivery[], through: number, now: number) => {
    const { position } = await tx.only(lockPosition, {})
    if (position >= through) return
    tx.send(setPosition, { position: through })
    const added = deliveries.filter(({ eventId }) => eventId > position)
    if (added.length === 0) return
    const ids = JSON.stringify([...new Set(added.map(({ webhookId }) => webhookId))])
    const webhooks = new Map((await tx.all(lockWebhooks, { ids })).map((webhook) => [webhook.id, webhook]))
    const rows = added.flatMap((delivery) => {
      const webhook = webhooks.get(delivery.webhookId)
      // It may have been deleted since the events were read.
      if (webhook === undefined) return []
      const { accountId, url, enabled, pausedUntil } = webhook
      const dueAt = enabled === 1 ? Math.max(now, endOfPause(pausedUntil, now)) : null
      return [{ ...delivery, accountId, host: new URL(url).host, dueAt, now }]
    })
    tx.send(insertAll, { rows: JSON.stringify(rows) })
    const accounts = JSON.stringify([...new Set(rows.map(({ accountId }) => accountId))])
    const dropped = groupBy(await tx.all(dropExcess, { accounts, ids, kept: eventsWaitingMax }), ({ id }) => id)
    const counts = [...dropped].map(([id, { length: count }]) => ({ id, count }))
    if (counts.length > 0) tx.send(countDropped, { rows: JSON.stringify(counts) })
  },
)

export type OutboxStore = ReturnType<typeof outboxStore>

export const outboxStore = (db: Database) => ({
  /** The id of the last event with stored deliveries, after which a reader begins; undefined without webhooks. */
  async place(): Promise<number | undefined> {
    const row = await db.one(place, {})
    const begins = row?.beginsAfter ?? undefined
    return begins === undefined ? undefined : Math.max(row?.position ?? 0, begins)
  },

  /** The webhooks of accounts, without those of accounts that are not served. */
  subscriptions: (accountIds: readonly number[]): Promise<Subscription[]> =>
    db.all(ofAccounts, { ids: JSON.stringify(accountIds) }),

  /** Adds deliveries of events up to an id, in one transaction with the new position. */
  add: (deliveries: readonly NewDelivery[], through: number): Promise<void> =>
    db.write(addDeliveries, deliveries, through, Date.now()),
})
