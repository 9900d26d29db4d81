import { attemptsMax } from '../../../ports/outbound/deliveries/attempt.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { ListedDelivery } from './list-store.js'
import type { Webhook } from './webhook.js'

export const webhookToJson = ({ id, url, events, isEnabled, createdAt, waiting, dropped, failingSince }: Webhook) => ({
  id,
  url,
  events: JSON.parse(events) as string[],
  enabled: isEnabled,
  created_at: timestamp(createdAt),
  waiting,
  dropped,
  failing_since: failingSince === null ? null : timestamp(failingSince),
})

export const deliveryToJson = (delivery: ListedDelivery) => ({
  event_id: delivery.eventId,
  area: delivery.event?.area ?? null,
  action: delivery.event?.action ?? null,
  object: delivery.event?.object ?? null,
  state: shownState(delivery),
  attempts: delivery.attempts,
  attempts_max: attemptsMax,
  next_attempt_at: delivery.dueAt === null ? null : timestamp(delivery.dueAt),
  status: delivery.status,
  error: delivery.error,
  answer: delivery.answer,
  updated_at: timestamp(delivery.updatedAt),
})

/** A waiting delivery whose last attempt has failed is `failing`. */
function shownState({ state, error }: ListedDelivery): 'waiting' | 'failing' | 'delivered' | 'given_up' {
  if (state === 'waiting') return error === null ? 'waiting' : 'failing'
  return state === 'failed' ? 'given_up' : state
}
