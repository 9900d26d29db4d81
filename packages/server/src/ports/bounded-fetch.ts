/**
 * All requests to servers of the operator's choice go through this file, so that no peer can hold a request or fill the memory.
 * Requests to URLs of users go through `outbound/`.
 */

export interface BoundedRequest extends Omit<RequestInit, 'signal' | 'redirect'> {
  /** Milliseconds for the whole exchange: connecting, sending, redirects and the body of the answer. */
  readonly deadlineMs: number
  /** The longest body that is accepted, in bytes after decompression. */
  readonly maxBytes: number
  /** `follow` sends the headers of the request to each target, `Authorization` and `Cookie` to the same origin only. */
  readonly redirects: 'follow' | 'error'
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
export async function boundedFetch(
  url: string,
  { deadlineMs, maxBytes, redirects, ...request }: BoundedRequest,
): Promise<BoundedAnswer> {
  const signal = AbortSignal.timeout(Math.ceil(deadlineMs))
  const response = await fetch(url, { ...request, redirect: redirects, signal })
  return { status: response.status, text: await boundedText(response, maxBytes) }
}

/** Not Response.text(), which has no limit: a small compressed body can decompress to gigabytes. */
async function boundedText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, which closes the connection.
    if (bytes > maxBytes) throw new RangeError(`The answer is longer than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
