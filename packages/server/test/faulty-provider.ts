import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a request asks of a provider with the S3 API. */
export type Step = 'put' | 'create' | 'part' | 'complete' | 'abort' | 'delete' | 'uploads' | 'objects' | 'get' | 'head'

/** Treats one request. `pass` sends it to the provider behind, and resolves with the whole answer. */
export type Fault = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  pass: () => Promise<Answer>,
) => void | Promise<void>

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface FaultyProvider {
  readonly url: string
  /** The steps of all requests, in their order. */
  readonly steps: Step[]
  /** Treats the next requests of a step with these faults, and all later ones with the last if `isLasting`. */
  fail(step: Step, faults: readonly Fault[], isLasting?: boolean): void
  close(): Promise<void>
}

/** Starts an HTTP server in front of a provider that passes requests on, except those that fail. */
export async function startFaultyProvider(target: string): Promise<FaultyProvider> {
  const steps: Step[] = []
  const failing = new Map<Step, { faults: Fault[]; isLasting: boolean }>()
  const nextFault = (step: Step): Fault => {
    const planned = failing.get(step)
    const isLast = planned?.isLasting === true && planned.faults.length === 1
    return (isLast ? planned.faults[0] : planned?.faults.shift()) ?? passOn
  }
  const server = createServer((incoming, outgoing) => {
    incoming.on('error', () => undefined)
    const step = stepOf(incoming)
    steps.push(step)
    Promise.resolve(nextFault(step)(incoming, outgoing, () => sendTo(target, incoming))).catch(() => outgoing.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    steps,
    fail: (step, faults, isLasting = false) => failing.set(step, { faults: [...faults], isLasting }),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function stepOf({ method, url = '' }: IncomingMessage): Step {
  const has = (name: string) => new URL(url, 'http://x').searchParams.has(name)
  switch (method) {
    case 'PUT':
      return has('partNumber') ? 'part' : 'put'
    case 'POST':
      return has('uploads') ? 'create' : 'complete'
    case 'DELETE':
      return has('uploadId') ? 'abort' : 'delete'
    case 'HEAD':
      return 'head'
    default:
      return has('uploads') ? 'uploads' : has('list-type') ? 'objects' : 'get'
  }
}

/** The header Host stays: it is signed. */
async function sendTo(target: string, incoming: IncomingMessage): Promise<Answer> {
  const { method = '', url = '', headers } = incoming
  const onward = request(target + url, { method, headers, agent: false })
  // Also for errors after the answer: Swift sends some bytes too many after answers without a body.
  onward.on('error', () => undefined)
  incoming.pipe(onward)
  const [response] = (await once(onward, 'response')) as [IncomingMessage]
  const body = Buffer.concat((await response.toArray()) as Buffer[])
  return { status: response.statusCode ?? 0, headers: response.headers, body }
}

export const passOn: Fault = async (_incoming, outgoing, pass) => {
  const { status, headers, body } = await pass()
  outgoing.writeHead(status, headers).end(body)
}

const bodyOf = (incoming: IncomingMessage) => incoming.toArray()

/** Closes the connection before the body is read. */
export const cutAtOnce: Fault = (incoming) => void incoming.socket.destroy()

/** Closes the connection instead of an answer. The provider behind gets nothing. */
export const cutAfterBody: Fault = async (incoming) => {
  await bodyOf(incoming)
  incoming.socket.destroy()
}

/** The provider behind obeys, and the answer is lost. */
export const loseAnswer: Fault = async (incoming, _outgoing, pass) => {
  await pass()
  incoming.socket.destroy()
}

/** Sends these bytes instead of an answer, and closes the connection. */
export const sendRaw =
  (text: string): Fault =>
  async (incoming) => {
    await bodyOf(incoming)
    incoming.socket.end(text)
  }

/** The same, and keeps the connection. More bytes follow after a while. */
export const sendTooMuch =
  (text: string): Fault =>
  async (incoming) => {
    await bodyOf(incoming)
    incoming.socket.write(text)
    setTimeout(() => incoming.socket.write('junk'), 50)
  }

/** Sends nothing, and keeps the connection. */
export const stayAway: Fault = async (incoming) => {
  await bodyOf(incoming)
}

export const answer =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Fault =>
  async (incoming, outgoing) => {
    await bodyOf(incoming)
    outgoing.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body)
  }

export const answerError = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault =>
  answer(status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`, {
    'content-type': 'application/xml',
    ...headers,
  })
