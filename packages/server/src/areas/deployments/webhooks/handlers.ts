import type { Areas, ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { pageKey } from '../../../shared/page.js'
import { requirePathId } from '../../../shared/path-id.js'
import { periodOf } from '../../../shared/period.js'
import { detailToJson, failingToJson, summaryToJson } from './presenter.js'
import type { RedeliveryStore } from './redelivery-store.js'
import type { RequestStore } from './request-store.js'

interface Dependencies {
  readonly requests: RequestStore
  readonly redeliveries: RedeliveryStore
  /** Called when a delivery waits. */
  readonly onWaiting: () => void
}

type WebhookHandlers = Pick<Handlers<Areas['deployments']>, 'requests' | 'request' | 'redeliver' | 'rotateSecret'>

/** What webhooks have received. */
export const webhookHandlers = ({ requests, redeliveries, onWaiting }: Dependencies): WebhookHandlers => ({
  async requests({ params, query }, { account }) {
    const id = requirePathId(params.id, 'deployment')
    const page = await requests.list(account, id, pageKey(query), periodOf(query))
    const entries = page.entries.map(summaryToJson)
    return { requests: entries, next: page.next, total: page.total, failing: failingToJson(page.failing) }
  },

  async request({ params }, { account }) {
    const id = requirePathId(params.id, 'deployment')
    return detailToJson(await requests.get(account, id, requirePathId(params.request_id, 'request')))
  },

  async redeliver({ body: { id, request_id } }, { account }) {
    await redeliveries.redeliver(account, id, request_id)
    onWaiting()
    return { id, request_id, redelivered: true }
  },

  rotateSecret: async ({ body: { id } }, { account }) => ({ id, secret: await requests.rotateSecret(account, id) }),
})

/** The redelivery of all failed requests, which only the console has. */
export const redeliveriesOfConsole = ({
  redeliveries,
  onWaiting,
}: Omit<Dependencies, 'requests'>): Pick<Handlers<ConsoleAreas['deployments']>, 'redeliverFailed'> => ({
  async redeliverFailed({ body: { id } }, { account }) {
    const redelivered = await redeliveries.redeliverFailed(account, id)
    if (redelivered > 0) onWaiting()
    return { id, redelivered }
  },
})
