import { request } from 'node:http'

export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Drops the body of the answer. To join and decode megabytes takes longer than to receive them. */
  readonly isTextDropped?: boolean
}

export interface RawAnswer {
  readonly status: number
  /** Empty if it is dropped. */
  readonly text: string
}

/** Sends one request, with headers that `fetch` would refuse. @returns undefined if the connection breaks */
export function rawRequest(
  url: string,
  { method = 'GET', path, headers = {}, body, isTextDropped = false }: RawRequest,
): Promise<RawAnswer | undefined> {
  const { hostname, port } = new URL(url)
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve) => {
    const sent = request(
      { hostname, port, method, path, agent: false, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => {
          if (!isTextDropped) chunks.push(chunk)
        })
        answer.on('error', () => resolve(undefined))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
      },
    )
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}
