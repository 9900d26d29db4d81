import type { OutgoingRequest } from '../../../ports/outbound/deliveries/deliverer.js'
import { signatureHeaders } from '../../../ports/outbound/deliveries/signature.js'

/** A received request with what its forwarding needs. */
export interface ForwardedRequest {
  readonly webhookId: number
  readonly id: number
  readonly receivedAt: number
  readonly method: string
  readonly query: string
  /** JSON array of names and values in turn. */
  readonly headers: string
  readonly body: Buffer
  readonly target: string
  readonly secret: string
}

/**
 * Headers that belong to the connection of the client (RFC 9110, section 7.6.1), or that this server sets: those of the signature
 * and of the new request.
 */
const notForwarded = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
  ],
  ...['proxy-authorization', 'proxy-authenticate', 'expect', 'host', 'content-length'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-hops'],
])

/** Counts the webhooks that have forwarded a request: without it, two that forward to each other would never end. */
const hopsHeader = 'webhook-hops'

/** The most webhooks that forward a request one after another. */
const hopsMax = 4

/** @param headers names and values in turn */
const hopsOf = (headers: readonly string[]): number => {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === hopsHeader)
  const value = headers[index + 1] ?? ''
  return index !== -1 && /^\d{1,3}$/.test(value) ? Number(value) : 0
}

/** Whether a received request has been forwarded so often that it is not forwarded again. */
export const isLoop = (headers: readonly string[]): boolean => hopsOf(headers) >= hopsMax

/** The value of `webhook-id`: unique among all requests of all webhooks, and the same for each attempt. */
export const messageId = ({ webhookId, id, receivedAt }: Pick<ForwardedRequest, 'webhookId' | 'id' | 'receivedAt'>) =>
  `msg_${String(webhookId)}_${String(id)}_${receivedAt.toString(36)}`

/** The target with the parameters of the request behind its own. */
export function forwardUrl({ target, query }: Pick<ForwardedRequest, 'target' | 'query'>): string {
  const url = new URL(target)
  if (query !== '') url.search = url.search === '' ? query : `${url.search}&${query}`
  return url.href
}

/** The headers of the request as they came, without those of its connection, and with the signature: names and values in turn. */
export function forwardHeaders(request: ForwardedRequest, sentAt: number): string[] {
  const sent = JSON.parse(request.headers) as string[]
  const names = sent.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const connection = names.flatMap((name, index) =>
    name === 'connection' ? (sent[index * 2 + 1] ?? '').split(',') : [],
  )
  const dropped = new Set([...notForwarded, ...connection.map((name) => name.trim().toLowerCase())])
  return [
    ...names.flatMap((name, index) => (dropped.has(name) ? [] : sent.slice(index * 2, index * 2 + 2))),
    ...[hopsHeader, String(hopsOf(sent) + 1)],
    ...signatureHeaders(request.secret, { id: messageId(request), sentAt, body: request.body }),
  ]
}

/** The request to send for a received one. */
export const outgoingOf = (request: ForwardedRequest): OutgoingRequest => ({
  method: request.method,
  body: request.body,
  head: (sentAt) => ({ url: forwardUrl(request), headers: forwardHeaders(request, sentAt) }),
})
