/** One request over HTTP, and its answer. */

export interface Exchange {
  readonly url: string
  readonly method: string
  readonly key: string
  /** What is sent as JSON. */
  readonly body?: unknown
  /** Ends it, the body of the answer as well. */
  readonly signal: AbortSignal
}

export interface Exchanged {
  readonly status: number
  readonly text: string
}

/** The most an answer may weigh: a zone of 10,000 records has 2 MB, long texts apart. */
const answerMaxBytes = 128 * 1024 * 1024

/**
 * `fetch` keeps connections for the next request; PowerDNS's own web server closes each after its answer, a proxy in front
 * of it need not.
 */
export async function exchange({ url, method, key, body, signal }: Exchange): Promise<Exchanged> {
  const response = await fetch(url, {
    method,
    headers: { 'x-api-key': key, accept: 'application/json', 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
    // The key is for nobody else.
    redirect: 'error',
  })
  return { status: response.status, text: await bounded(response) }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, and with it the connection.
    if (bytes > answerMaxBytes) throw new Error(`PowerDNS answered more than ${answerMaxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
