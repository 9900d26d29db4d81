import { failingCountMax } from '@svc/contract/limits'
import { sql, type Expression, type Kysely } from 'kysely'
import type { Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'

/** How many deliveries of a webhook fail. System queries: the caller has checked the webhook. */

/** Deliveries of a webhook that fail; those that have been given up are included. */
export interface Failing {
  /** At most `failingCountMax`. */
  readonly count: number
  /** When the first of them failed. */
  readonly since: number
}

/** Of the deployment of the outer query. Served by webhook_delivery_failing (account_id, deployment_id, failing_since). */
const failing = (db: Kysely<Tables>) =>
  db
    .selectFrom('webhook_delivery')
    .where('webhook_delivery.account_id', '=', sql.ref<number>('deployment.account_id'))
    .where('webhook_delivery.deployment_id', '=', sql.ref<number>('deployment.id'))
    .where('failing_since', 'is not', null)
    .select('failing_since as since')

/** Null for the other kinds, which have no deliveries: nothing is read for them. */
const ofWebhooks = (value: Expression<unknown>) => sql<number | null>`case when kind = 'webhook' then ${value} end`

/** Columns of a query of deployments: how many of their deliveries fail, and since when. */
export const failingColumns = (db: Kysely<Tables>) => [
  ofWebhooks(db.selectFrom(failing(db).limit(failingCountMax).as('failing')).select(db.fn.countAll().as('count'))).as(
    'failingCount',
  ),
  ofWebhooks(failing(db).orderBy('failing_since').limit(1)).as('failingSince'),
]

interface FailingRow {
  readonly failingCount: number | null
  readonly failingSince: number | null
}

/** @returns null if no delivery fails */
export const toFailing = ({ failingCount, failingSince }: FailingRow): Failing | null =>
  failingSince === null ? null : { count: failingCount ?? 0, since: failingSince }

/** Served by the primary key. */
const ofWebhook = prepared((db, p: { webhookId: number }) =>
  db.selectFrom('deployment').where('id', '=', p.webhookId).select(failingColumns(db)),
)

/** @returns null if no delivery of the webhook fails */
export async function failingOf(reader: Reader, webhookId: number): Promise<Failing | null> {
  const row = await reader.one(ofWebhook, { webhookId })
  return row === undefined ? null : toFailing(row)
}
