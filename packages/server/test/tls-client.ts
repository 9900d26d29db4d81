import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'

/** A client with TLS, which connects to 127.0.0.1 under any name. */
export interface TlsClient {
  /** Sends a request on a new connection. @throws the error of the handshake, with its `code` */
  readonly get: (name: string, path?: string, options?: TlsCall) => Promise<TlsAnswer>
  /** Opens a connection, and waits for the end of the handshake. */
  readonly open: (name: string | undefined, options?: ConnectionOptions) => Promise<TLSSocket>
  /** Opens a connection that resumes the session of an earlier one. */
  readonly resume: (name: string, version: 'TLSv1.2' | 'TLSv1.3') => Promise<TLSSocket>
}

interface TlsCall {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface TlsAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** @param ca the authority to trust */
export function tlsClient(port: number, ca: string): TlsClient {
  const place = { host: '127.0.0.1', port, ca }
  const open: TlsClient['open'] = async (name, options = {}) => {
    const unverified = name === undefined ? { checkServerIdentity: () => undefined } : { servername: name }
    const socket = connect({ ...place, ...unverified, ...options })
    await once(socket, 'secureConnect')
    socket.on('error', () => socket.destroy())
    return socket
  }
  return {
    open,
    resume: async (name, version) => {
      const options = { minVersion: version, maxVersion: version }
      const first = await open(name, options)
      const session = await sessionOf(first.resume(), version)
      first.destroy()
      const resumed = await open(name, { ...options, session })
      if (resumed.isSessionReused()) return resumed
      resumed.destroy()
      throw new Error('the session was not resumed')
    },
    get: async (name, path = '/healthz', { method = 'GET', headers = {}, body } = {}) => {
      const outgoing = request({
        ...place,
        servername: name,
        agent: false,
        method,
        path,
        headers: { host: `${name}:${String(port)}`, ...headers },
      })
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }
    },
  }
}

/** The session of a connection. In TLS 1.2 it comes with the handshake, in TLS 1.3 after it. */
async function sessionOf(socket: TLSSocket, version: 'TLSv1.2' | 'TLSv1.3'): Promise<Buffer | undefined> {
  if (version === 'TLSv1.2') return socket.getSession()
  const [session] = (await once(socket, 'session')) as [Buffer]
  return session
}
