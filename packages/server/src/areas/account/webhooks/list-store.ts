import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isShown, type ShownEvent } from '../../../journal/events.js'
import { readEventsById } from '../../../journal/page-store.js'
import type { DeliveryState } from '../../../ports/outbound/deliveries/retry.js'

/** The delivery of an event to a webhook. Times are milliseconds since the epoch. */
export interface ListedDelivery {
  readonly eventId: number
  /** Undefined if it is not kept any more. */
  readonly event: ShownEvent | undefined
  readonly state: DeliveryState
  readonly attempts: number
  readonly dueAt: number | null
  readonly status: number | null
  readonly error: string | null
  readonly answer: string | null
  readonly updatedAt: number
}

const listedMax = 100

/** Newest first. Served by the primary key. */
const latest = prepared((db, p: { accountId: number; webhookId: number; rows: number }) =>
  db
    .selectFrom('account_webhook_delivery')
    .where('account_id', '=', p.accountId)
    .where('webhook_id', '=', p.webhookId)
    .select([
      ...(['event_id as eventId', 'state', 'attempts', 'due_at as dueAt', 'last_status as status'] as const),
      ...(['last_error as error', 'answer', 'updated_at as updatedAt'] as const),
    ])
    .orderBy('event_id', 'desc')
    .limit(p.rows),
)

/** The last deliveries of a webhook, newest first. The caller has checked that it belongs to the account. */
export async function listDeliveries(
  db: Database,
  webhook: { readonly id: number; readonly accountId: number },
): Promise<ListedDelivery[]> {
  const rows = await db.all(latest, { accountId: webhook.accountId, webhookId: webhook.id, rows: listedMax })
  const ids = rows.map(({ eventId }) => eventId)
  const events = await readEventsById(db, { accountId: webhook.accountId, ids })
  const byId = new Map(events.filter(isShown).map((event) => [event.id, event]))
  return rows.map((row) => ({ ...row, event: byId.get(row.eventId) }))
}
