import { nothingHere, type EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRequest, EndpointRoute } from '../../../http/area.js'
import type { DiskSpace } from '../../../ports/space/port.js'
import { networkLimit } from '../network-limit.js'
import { isLoop } from './forwarded.js'
import type { Read, WithinMemory } from '../large-bodies.js'
import type { OpenWebhook, ReceivedRequest, ReceiveStore } from './receive-store.js'

/** How much of a body is kept. */
const bodyMaxBytes = 262_144

/** Requests to one webhook from one network in a minute. */
const requestsMax = 600

/** In the column of the list; the headers have the whole value. */
const contentTypeMaxLength = 200

interface WebhookDependencies {
  readonly store: ReceiveStore
  readonly withinMemory: WithinMemory
  readonly space: DiskSpace
  /** Called when a delivery waits. */
  readonly onWaiting: () => void
}

/** Webhooks: they store every request, and forward it if they have a target. */
export function webhookRoutes({ store, space, withinMemory, onWaiting }: WebhookDependencies): EndpointRoute[] {
  const countRequest = networkLimit(requestsMax, 'requests')

  async function answer(request: EndpointRequest): Promise<EndpointAnswer> {
    const webhook = await store.find(request.params['slug'] ?? '')
    if (!webhook) throw nothingHere()
    space.require()
    countRequest(webhook.id, request.ip)
    const sender = { ip: request.ip, deploymentId: webhook.id, accountId: webhook.accountId }
    return withinMemory(sender, (read) => receive(webhook, request, read))
  }

  async function receive(webhook: OpenWebhook, request: EndpointRequest, read: Read): Promise<EndpointAnswer> {
    // A part of a body is good for reading, but not for the target: its sender must know that it did not arrive.
    const body = webhook.forwards ? { bytes: await read(request.body), isCut: false } : await read(request.bodyStart)
    const isWaiting = await store.receive(webhook.id, { ...toRow(request), body: body.bytes, isTruncated: body.isCut })
    if (isWaiting === undefined) throw nothingHere()
    if (isWaiting) onWaiting()
    return { status: 200, body: 'ok\n' }
  }

  const route = { name: 'content.webhook', methods: 'any', maxBodyBytes: bodyMaxBytes, answer } as const
  return [
    { ...route, path: '/h/:slug' },
    { ...route, path: '/h/:slug/*' },
  ]
}

const prefixLength = '/h/'.length

function toRow(request: EndpointRequest): Omit<ReceivedRequest, 'body' | 'isTruncated'> {
  const { method, path, query, ip, header, rawHeaders } = request
  const end = path.indexOf('/', prefixLength)
  return {
    receivedAt: Date.now(),
    method,
    query,
    ip,
    path: end === -1 ? '' : path.slice(end),
    contentType: header('content-type')?.slice(0, contentTypeMaxLength) ?? null,
    headers: JSON.stringify(withoutCookies(rawHeaders)),
    isLoop: isLoop(rawHeaders),
  }
}

/** Cookies of a browser belong to other sites of the domain, not to the owner of the webhook. */
const withoutCookies = (raw: readonly string[]): string[] =>
  raw.filter((_, index) => raw[index - (index % 2)]?.toLowerCase() !== 'cookie')
