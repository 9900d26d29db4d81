import { badRequest } from '@svc/contract/errors'
import type { Areas } from '@svc/contract'
import type { Database } from '../../../db/port.js'
import type { Handlers } from '../../../http/handler.js'
import { createSecret } from '../../../ports/outbound/deliveries/signature.js'
import type { UserTargets } from '../../../ports/outbound/port.js'
import { listDeliveries } from './list-store.js'
import { deliveryToJson, webhookToJson } from './presenter.js'
import { checkEvents, checkWebhookUrl } from './webhook.js'
import type { WebhookStore } from './webhook-store.js'

interface WebhookDependencies {
  readonly database: Database
  readonly webhooks: WebhookStore
  readonly targets: Pick<UserTargets, 'problemOf'>
  /** Called when a webhook may have something to send. */
  readonly wake: () => void
}

type WebhookOperation = Extract<keyof Handlers<Areas['account']>, `webhook${string}`>

/** The webhooks that get the events of the account. */
export function webhookHandlers({
  database,
  webhooks,
  targets,
  wake,
}: WebhookDependencies): Pick<Handlers<Areas['account']>, WebhookOperation> {
  /** @throws ApiError `bad_request` */
  function checkedUrl(given: string): string {
    const url = checkWebhookUrl(given)
    const problem = targets.problemOf(url)
    if (problem !== undefined) throw badRequest('url', problem)
    return url
  }

  return {
    async webhookList(_input, caller) {
      const found = await webhooks.list(caller.account)
      return { webhooks: found.map(webhookToJson), total: found.length }
    },

    async webhookCreate({ body }, caller) {
      const [given, secret] = [{ url: checkedUrl(body.url), events: checkEvents(body.events ?? []) }, createSecret()]
      const webhook = await webhooks.create(caller.account, given, secret)
      wake()
      return { webhook: webhookToJson(webhook), secret }
    },

    async webhookUpdate({ body }, caller) {
      const { id, url, events, enabled: isEnabled, new_secret: isNew = false } = body
      const change = {
        url: url === undefined ? undefined : checkedUrl(url),
        events: events === undefined ? undefined : checkEvents(events),
        isEnabled,
      }
      const secret = isNew ? createSecret() : undefined
      const webhook = await webhooks.change(caller.account, id, change, secret)
      wake()
      return { webhook: webhookToJson(webhook), secret: secret ?? null }
    },

    async webhookDelete({ body: { id } }, caller) {
      await webhooks.delete(caller.account, id)
      return { id, deleted: true }
    },

    async webhookTest({ body: { id } }, caller) {
      await webhooks.test(caller.account, id)
      wake()
      return webhookToJson(await webhooks.get(caller.account, id))
    },

    async webhookDeliveries({ query: { id } }, caller) {
      await webhooks.get(caller.account, id)
      const deliveries = await listDeliveries(database, { id, accountId: caller.account.id })
      return { deliveries: deliveries.map(deliveryToJson) }
    },
  }
}
