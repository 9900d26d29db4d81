import { once } from 'node:events'
import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Envelope } from './app.js'

/** An HTTP client without checks: it sends any method, path, header and bytes. `fetch` refuses some of them. */

export interface HttpAnswer {
  readonly status: number
  /** With lower-case names. */
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The envelope, or `{}` if the answer is not JSON. */
  readonly body: Envelope
}

export interface HttpCall {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** Its connections are used again. By default, each request has a new connection. */
  readonly agent?: Agent
}

/** Sends one request. Unlike `fetch`, it neither refuses methods nor normalizes the path. */
export async function send(url: string, method: string, path: string, call: HttpCall = {}): Promise<HttpAnswer> {
  const { hostname, port } = new URL(url)
  const { body, agent = false } = call
  const chunked = call.headers?.['transfer-encoding'] !== undefined
  const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = request({ hostname, port, method, path, agent, headers: { ...length, ...call.headers } })
  outgoing.end(body)
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk as Buffer)
    // A stream of events has no end: its opening is its answer.
    if (response.headers['content-type']?.startsWith('text/event-stream') === true) break
  }
  const decode = decoders[String(response.headers['content-encoding'])] ?? ((bytes: Buffer) => bytes)
  const bytes = Buffer.concat(chunks)
  // An answer to HEAD has the header of a compressed body.
  return answerOf(response.statusCode ?? 0, response.headers, (bytes.length > 0 ? decode(bytes) : bytes).toString())
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync }

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): HttpAnswer {
  const isJson = headers['content-type']?.startsWith('application/json') === true && text !== ''
  return { status, headers, text, body: isJson ? (JSON.parse(text) as Envelope) : {} }
}

/** Opens a connection, for https with TLS to the name localhost and without a check of the certificate. */
export async function openSocket(url: string, { allowHalfOpen = false } = {}): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
  await once(socket, 'connect')
  if (protocol !== 'https:') return socket
  socket.on('error', () => socket.destroy())
  const secure = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  return secure
}

/** Sends bytes unchanged. @returns everything that the server sends until it closes the connection */
export async function sendBytes(url: string, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = await openSocket(url)
  const answer = readToEnd(socket)
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return answer
}

export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // The server may reset a connection before it has read all bytes. What it sent before that counts.
  socket.on('error', () => socket.destroy())
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

/** Parses the text of one HTTP answer. */
export function parseAnswer(text: string): HttpAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return answerOf(Number(statusLine.split(' ')[1]), headers, text.slice(end + 4))
}

const requestId = /^req_[0-9a-f]{16}$/
const errorKeys = ['success', 'error', 'message', 'request_id']
const extraKeys: Readonly<Record<string, readonly string[]>> = {
  bad_request: ['field', 'problem'],
  forbidden_scope: ['required_scopes', 'token_scopes'],
  forbidden_zone: ['zone'],
  not_found: ['zone'],
  upstream_error: ['zone'],
}

/** The status of each code (specification, section 7, and the two additions of docs/open-details.md). */
const statusOf: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  forbidden_scope: 403,
  forbidden_zone: 403,
  not_found: 404,
  method_not_allowed: 405,
  internal_error: 500,
  upstream_error: 502,
}

interface Seen {
  readonly status: number
  readonly headers: IncomingHttpHeaders | Headers
  readonly body: Envelope
}

const header = ({ headers }: Seen, name: string): unknown =>
  headers instanceof Headers ? headers.get(name) : headers[name]

/** Checks that an answer is the envelope of that error, with exactly the declared fields. */
export function expectError(answer: Seen, code: string): void {
  expect(answer.body).toMatchObject({ success: false, error: code })
  expect(answer.status).toBe(statusOf[code])
  expectEnvelope(answer)
}

/** Checks that an answer is a valid envelope, of a success or an error. */
export function expectEnvelope(answer: Seen): void {
  const { body } = answer
  expect(header(answer, 'x-request-id')).toMatch(requestId)
  expect(header(answer, 'content-type')).toBe('application/json; charset=utf-8')
  expect(body['request_id']).toBe(header(answer, 'x-request-id'))
  if (body['success'] === true) {
    expect(answer.status).toBe(200)
    expect(Object.keys(body)).toEqual(['success', 'data', 'request_id'])
    expect(typeof body['data']).toBe('object')
    return
  }
  expect(body['success']).toBe(false)
  expect(statusOf[body['error'] as string]).toBe(answer.status)
  const allowed = [...errorKeys, ...(extraKeys[body['error'] as string] ?? [])]
  expect(Object.keys(body).filter((key) => !allowed.includes(key))).toEqual([])
  const { message, field, problem } = body
  expect(message).toEqual(expect.stringMatching(/\S/))
  if (field !== undefined || problem !== undefined)
    expect([`${String(field)} ${String(problem)}`, problem]).toContain(message)
}
