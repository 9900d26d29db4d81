import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

/** One block of a stream of events. */
export interface Block {
  readonly id: string | undefined
  readonly event: string | undefined
  /** The JSON object of an event; undefined for a block without data. */
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly comment: string | undefined
}

/** An open stream of events, as a client sees it. */
export interface OpenStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything that has arrived, without comments and the opening. */
  readonly events: readonly Block[]
  /** The id of the opening, and of the last event. */
  readonly lastId: () => string
  /** The text that has arrived. */
  readonly text: () => string
  /** Resolves when so many events have arrived. */
  readonly until: (count: number) => Promise<void>
  /** Resolves when an event of the thing has arrived. */
  readonly has: (object: string) => Promise<void>
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
  /** Resets the connection. */
  readonly close: () => void
  readonly response: IncomingMessage
}

/** Opens a stream. It resolves when its opening has arrived, or an error. */
export async function openStream(url: string, headers: Readonly<Record<string, string>>): Promise<OpenStream> {
  const outgoing = request(url, { agent: false, headers })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => undefined)
  let text = ''
  let lastId = ''
  let rest = ''
  const events: Block[] = []
  const waiting = new Set<() => void>()
  response.setEncoding('utf8')
  response.on('error', () => undefined)
  response.on('data', (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks.map(parsed)) {
      if (block.id !== undefined) lastId = block.id
      if (block.data !== undefined) events.push(block)
    }
    for (const check of waiting) check()
  })
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  if (response.statusCode === 200 && text === '') await once(response, 'data')
  const when = (isReached: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isReached()) return
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    response,
    ended,
    lastId: () => lastId,
    text: () => text,
    until: (count) => when(() => events.length >= count),
    has: (object) => when(() => events.some(({ data }) => data?.['object'] === object)),
    close: () => {
      response.destroy()
    },
  }
}

function parsed(block: string): Block {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart())
  }
  const data = fields.get('data')
  return {
    id: fields.get('id'),
    event: fields.get('event'),
    data: data === undefined ? undefined : JSON.parse(data),
    comment: fields.get(''),
  }
}
