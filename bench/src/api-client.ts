import { Agent, request } from 'node:http'

/** A minimal HTTP client, so that its own cost does not distort the measurement. */
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
  readonly perSecond: number
  readonly errors: number
}

/** Runs concurrent clients for `ms` milliseconds. Each sends its next request after the answer to the previous one. */
export async function clients(
  count: number,
  ms: number,
  send: (n: number) => Promise<{ status: number }>,
): Promise<Rate> {
  let n = 0
  let done = 0
  let errors = 0
  const began = performance.now()
  const one = async () => {
    while (performance.now() - began < ms) {
      const { status } = await send(n++)
      if (status >= 400) errors++
      else done++
    }
  }
  await Promise.all(Array.from({ length: count }, one))
  return { perSecond: (done / (performance.now() - began)) * 1000, errors }
}
