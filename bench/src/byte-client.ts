import { Agent, request, type IncomingHttpHeaders } from 'node:http'

export interface ByteAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends one body of bytes. @throws Error for a status of 400 or above */
export type SendBytes = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: Buffer,
) => Promise<ByteAnswer>

/** A client for uploads with connections that stay open. */
export function byteClient(url: string, connections: number): { send: SendBytes; close: () => void } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname, port } = new URL(url)
  const send: SendBytes = (method, path, headers, body) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': String(body?.length ?? 0) }
      const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } })
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          const status = response.statusCode ?? 0
          if (status < 400) resolve({ status, headers: response.headers, text })
          else reject(new Error(`${method} ${path}: ${String(status)} ${text}`))
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return {
    send,
    close: () => {
      agent.destroy()
    },
  }
}
