import { randomBytes } from 'node:crypto'
import { badRequest } from '@svc/contract/errors'
import { eventActions, type EventArea } from '@svc/contract/events'
import { webhookUrlMaxLength } from '@svc/contract/limits'
import type { ShownEvent } from '../../../journal/events.js'
import { targetProblem } from '../../../ports/outbound/target-url.js'
import { quoted } from '../../../shared/quoted.js'
import type { SecretIdentity } from '../../../shared/secret-identity.js'

/** A URL that gets events of an account. Times are milliseconds since the epoch. */
export interface Webhook {
  readonly id: number
  readonly url: string
  /** JSON array of areas (`dns`) and actions (`account.token_create`); empty for all events. */
  readonly events: string
  /** False while the owner has paused it: its deliveries wait. */
  readonly isEnabled: boolean
  readonly createdAt: number
  /** Deliveries that wait. */
  readonly waiting: number
  /** Deliveries that were dropped because too many waited. */
  readonly dropped: number
  /** When the first delivery failed that has not succeeded since; null if none fails. */
  readonly failingSince: number | null
}

/** Identifies the webhook in its secret and in the ids of its messages: its id is not known before it is stored, and changes by a move. */
export const createTag = (): string => randomBytes(8).toString('hex')

export const tagPattern = /^[0-9a-f]{16}$/

export const secretIdentity = (accountId: number, { tag }: { readonly tag: string }): SecretIdentity => [
  'account_webhook',
  accountId,
  tag,
]

/** The value of `webhook-id`: the same for each attempt, and unique among all webhooks. */
export const messageId = (tag: string, eventId: number): string => `msg_${tag}_${String(eventId)}`

/**
 * Checks the form of a URL. Whether its address is public depends on the settings of the server: the handler checks it for a URL with an
 * address, and the delivery for a name.
 * @returns the URL in the form of the URL standard
 * @throws ApiError `bad_request`
 */
export function checkWebhookUrl(url: string): string {
  if (url.length > webhookUrlMaxLength)
    throw badRequest('url', `must have at most ${String(webhookUrlMaxLength)} characters, not ${String(url.length)}`)
  const problem = targetProblem(url, () => true)
  if (problem !== undefined) throw badRequest('url', problem)
  return new URL(url).href
}

const known: ReadonlySet<string> = new Set(
  Object.entries(eventActions).flatMap(([area, actions]) => [area, ...actions.map((action) => `${area}.${action}`)]),
)

/** @returns the JSON of the chosen events in canonical form. @throws ApiError `bad_request` */
export function checkEvents(events: readonly string[]): string {
  const unknown = events.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw badRequest(
      'events',
      `must have areas (${Object.keys(eventActions).join(', ')}) and actions, such as account.token_create, not ${quoted(unknown)}`,
    )
  return JSON.stringify([...new Set(events)].toSorted())
}

type ChosenEvent = Pick<ShownEvent, 'area' | 'action' | 'after'>

/** The action of a test. Only the tested webhook gets it, regardless of its chosen events. */
export const testAction = 'webhook_test'

/** Whether a webhook gets an event. */
export function isChosen(
  { id, events }: Pick<Webhook, 'id' | 'events'>,
  { area, action, after }: ChosenEvent,
): boolean {
  if (isTest({ area, action })) return after !== null && (JSON.parse(after) as { readonly id?: unknown }).id === id
  const chosen = JSON.parse(events) as readonly string[]
  return chosen.length === 0 || chosen.includes(area) || chosen.includes(`${area}.${action}`)
}

const isTest = ({ area, action }: { readonly area: EventArea; readonly action: string }): boolean =>
  area === 'account' && action === testAction
