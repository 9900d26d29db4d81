import type { EventAction } from '@svc/contract/events'
import type { Transaction } from '../../db/port.js'
import { changedFields, recordEvent, type EventFields } from '../../journal/event-store.js'
import type { Actor } from '../../shared/actor.js'
import { timestamp } from '../../shared/timestamp.js'
import type { Deployment } from './deployment.js'
import { formOptionsOf } from './forms/options.js'
import { linkOptionsOf } from './links/options.js'

/** Records the events of forms, webhooks and short links, in the transactions of their changes. */

interface DeploymentEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly action: EventAction<'deployments'>
  readonly actor: Actor
  readonly before?: EventFields
  readonly after?: EventFields
}

export function recordDeploymentEvent(
  tx: Transaction,
  { accountId, slug }: Pick<Deployment, 'accountId' | 'slug'>,
  event: DeploymentEvent,
): void {
  recordEvent(tx, { ...event, area: 'deployments', accountId, object: slug })
}

/** Records a change of a deployment; no event if nothing changed but its times and counts. */
export function recordChange(tx: Transaction, before: Deployment, after: Deployment, actor: Actor): void {
  const isChanged = comparedFields.some((field) => before[field] !== after[field])
  if (!isChanged) return
  const changed = changedFields(eventFieldsOf(before), eventFieldsOf(after))
  // The kind too: a form, a webhook and a short link may have the same slug.
  const fields = { ...changed, after: { ...changed?.after, kind: after.kind } }
  recordDeploymentEvent(tx, before, { at: after.updatedAt, action: 'deployment_change', actor, ...fields })
}

const comparedFields = ['target', 'settings', 'isEnabled', 'expiresAt', 'maxUses'] as const

/** The fields of a deployment in its events. */
export function eventFieldsOf(deployment: Deployment): EventFields {
  const { kind, isEnabled: enabled, target, expiresAt, maxUses: max_uses } = deployment
  if (kind === 'webhook') return { kind, enabled, target: target === null ? null : new URL(target).origin }
  if (kind === 'form') {
    const { next_urls: urls, origins } = formOptionsOf(deployment)
    return { kind, enabled, next_urls: urls.map(shownUrl), origins }
  }
  const expires_at = expiresAt === null ? null : timestamp(expiresAt)
  const { status, forward_query } = linkOptionsOf(deployment)
  return { kind, enabled, target: target && shownUrl(target), status, forward_query, expires_at, max_uses }
}

/** A URL without what can be a secret: user information, query and fragment; of a webhook, which other services give out, the path too. */
function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return origin + pathname
}
