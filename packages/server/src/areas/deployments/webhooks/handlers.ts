import type { ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { pageKey } from '../../../shared/page.js'
import { requirePathId } from '../../../shared/path-id.js'
import { detailToJson, summaryToJson } from './presenter.js'
import type { RequestStore } from './request-store.js'

interface Parts {
  readonly requests: RequestStore
  /** Called when a delivery waits. */
  readonly onWaiting: () => void
}

/** How the console shows what webhooks have received. */
export const webhookHandlers = ({ requests, onWaiting }: Parts): Handlers<ConsoleAreas['webhooks']> => ({
  async requests({ params, query }, { account }) {
    const page = await requests.list(account, requirePathId(params.id, 'deployment'), pageKey(query))
    return { requests: page.entries.map(summaryToJson), next: page.next, total: page.total }
  },

  async request({ params }, { account }) {
    const id = requirePathId(params.id, 'deployment')
    return detailToJson(await requests.get(account, id, requirePathId(params.request_id, 'request')))
  },

  async redeliver({ body: { id, request_id } }, { account }) {
    await requests.redeliver(account, id, request_id)
    onWaiting()
    return { id, request_id, redelivered: true }
  },

  rotateSecret: async ({ body: { id } }, { account }) => ({ id, secret: await requests.rotateSecret(account, id) }),
})
