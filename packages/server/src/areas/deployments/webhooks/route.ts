import { nothingHere, type EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRequest, EndpointRoute } from '../../../http/area.js'
import { networkLimit } from '../network-limit.js'
import { isLoop } from './forwarded.js'
import { largeBodies } from '../large-bodies.js'
import type { OpenWebhook, ReceivedRequest, ReceiveStore } from './receive-store.js'

/** How much of a body is kept. */
const bodyMaxBytes = 262_144

/** Requests to one webhook from one network in a minute. */
const requestsMax = 600

/** In the column of the list; the headers have the whole value. */
const contentTypeMaxLength = 200

interface WebhookParts {
  readonly store: ReceiveStore
  /** Called when a delivery waits. */
  readonly onWaiting: () => void
}

/** Webhooks: they store every request, and forward it if they have a target. */
export function webhookRoutes({ store, onWaiting }: WebhookParts): EndpointRoute[] {
  const countRequest = networkLimit(requestsMax, 'requests')
  const withinMemory = largeBodies()

  async function answer(request: EndpointRequest): Promise<EndpointAnswer> {
    const webhook = await store.find(request.params['slug'] ?? '')
    if (!webhook) throw nothingHere()
    countRequest(webhook.id, request.ip)
    return withinMemory(request.ip, (onLength) => receive(webhook, request, onLength))
  }

  async function receive(
    webhook: OpenWebhook,
    request: EndpointRequest,
    onLength: (bytes: number) => void,
  ): Promise<EndpointAnswer> {
    // A part of a body is good for reading, but not for the target: its sender must know that it did not arrive.
    const body = webhook.forwards
      ? { bytes: await request.body(onLength), isCut: false }
      : await request.bodyStart(onLength)
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
    ...{ method, query, ip },
    path: end === -1 ? '' : path.slice(end),
    contentType: header('content-type')?.slice(0, contentTypeMaxLength) ?? null,
    headers: JSON.stringify(withoutCookies(rawHeaders)),
    isLoop: isLoop(rawHeaders),
  }
}

/** Cookies of a browser belong to other sites of the domain, not to the owner of the webhook. */
const withoutCookies = (raw: readonly string[]): string[] =>
  raw.filter((_, index) => raw[index - (index % 2)]?.toLowerCase() !== 'cookie')
