import { Agent, request } from 'node:http'

/** A minimal HTTP client, so that the bench does not measure its client. */
export interface ApiClient {
  /** @returns status and body */
  readonly send: (method: string, path: string, body?: unknown) => Promise<{ status: number; text: string }>
  readonly close: () => void
}

export function apiClient(url: string, headers: Record<string, string>): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const { hostname, port } = new URL(url)
  return {
    send: (method, path, body) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const sent = request({
          agent,
          hostname,
          port,
          method,
          path,
          headers: {
            ...headers,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        })
        sent.on('response', (response) => {
          let received = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (received += chunk))
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text: received })
          })
        })
        sent.on('error', reject)
        sent.end(text)
      }),
    close: () => {
      agent.destroy()
    },
  }
}

export interface Rate {
  /** Successful requests per second. */
  readonly perSecond: number
  /** Answers with a status of 400 or above. */
  readonly errors: number
}

/**
 * Runs concurrent clients for a time. Each sends its next request when the one before is answered.
 * @param send is called with the number of the request, from 0
 */
export async function runClients(
  count: number,
  ms: number,
  send: (n: number) => Promise<{ status: number }>,
): Promise<Rate> {
  let sent = 0
  let successful = 0
  let errors = 0
  const began = performance.now()
  const runClient = async () => {
    while (performance.now() - began < ms) {
      const { status } = await send(sent++)
      if (status >= 400) errors++
      else successful++
    }
  }
  await Promise.all(Array.from({ length: count }, runClient))
  return { perSecond: (successful / (performance.now() - began)) * 1000, errors }
}
