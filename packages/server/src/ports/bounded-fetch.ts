import { Agent, fetch as guardedFetch, type buildConnector } from 'undici'

/**
 * Requests whose whole answer is read go through this file, so that no peer can hold a request or fill the memory. Requests to URLs
 * of users, whose answers are discarded, go through `outbound/`.
 */

export interface BoundedRequest extends Omit<RequestInit, 'signal' | 'redirect'> {
  /** Milliseconds for the whole exchange: connecting, sending, redirects and the body of the answer. */
  readonly deadlineMs: number
  /** The longest body that is accepted, in bytes after decompression. */
  readonly maxBytes: number
  /** `follow` sends the headers of the request to each target, `Authorization` and `Cookie` to the same origin only. */
  readonly redirects: 'follow' | 'error'
  /** Decides for each connection, also after a redirect, whether its address may be reached; missing for all addresses. */
  readonly addresses?: buildConnector.connector
  /** Aborts the request. */
  readonly stop?: AbortSignal
}

export interface BoundedAnswer {
  readonly status: number
  /** The body, decoded as UTF-8. */
  readonly text: string
}

/**
 * Sends a request over HTTP and reads the whole answer, within a deadline and a size limit. A connection that breaks in the
 * body is an error, with one exception: `fetch` treats a compressed body without Content-Length as complete when the
 * connection ends. The caller's parser must reject a truncated text.
 * @throws DOMException `TimeoutError` at the deadline; TypeError for a connection that fails or a redirect that is not
 * allowed, with the reason as its `cause`; RangeError for a body that is too long
 */
export async function boundedFetch(url: string, request: BoundedRequest): Promise<BoundedAnswer> {
  const { deadlineMs, maxBytes, redirects, addresses, stop, ...init } = request
  const timeout = AbortSignal.timeout(Math.ceil(deadlineMs))
  const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
  if (addresses === undefined) {
    const response = await fetch(url, { ...init, redirect: redirects, signal })
    return { status: response.status, text: await boundedText(response.body, maxBytes) }
  }
  const dispatcher = new Agent({ connect: addresses, maxHeaderSize })
  try {
    const hops = redirects === 'follow' ? hopsMax : 0
    const response = await fetchGuarded(url, { ...(init as object), signal, dispatcher }, hops)
    return { status: response.status, text: await boundedText(response.body, maxBytes) }
  } finally {
    await dispatcher.destroy()
  }
}

/** Redirects that are followed to servers that the operator has not named. */
const hopsMax = 3

const maxHeaderSize = 16_384

type GuardedResponse = Awaited<ReturnType<typeof guardedFetch>>

async function fetchGuarded(
  url: string,
  init: Parameters<typeof guardedFetch>[1],
  hops: number,
): Promise<GuardedResponse> {
  const response = await guardedFetch(url, { ...init, redirect: 'manual' })
  const location = response.headers.get('location')
  if (response.status < 300 || response.status > 399 || location === null) return response
  if (hops === 0) throw new TypeError('The server redirects too often.')
  const next = new URL(location, url)
  // fetch also reads data: URLs.
  if (next.protocol !== 'http:' && next.protocol !== 'https:')
    throw new TypeError('The server redirects to another protocol.')
  return fetchGuarded(next.href, init, hops - 1)
}

/** Not Response.text(), which has no limit: a small compressed body can decompress to gigabytes. */
async function boundedText(body: unknown, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, which closes the connection.
    if (bytes > maxBytes) throw new RangeError(`The answer is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
