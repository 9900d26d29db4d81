import { readEvents, type EventPosition } from '@svc/client'

/** What happened in the account, as the stream of events tells it. */
export interface LiveEvent {
  readonly id: number
  readonly at: string
  readonly area: string
  readonly action: string
  readonly object: string
  readonly actor: {
    readonly kind: 'token' | 'session' | 'operator' | 'protocol'
    readonly name: string
    readonly id: number | null
  }
  readonly request_id: string | null
  /** Only of a change of a zone. */
  readonly zone?: string
}

interface Options {
  /**
   * Sends the request.
   * @param lastId of the event behind which the stream begins; empty for now
   * @throws any error of a refused request
   */
  readonly open: (lastId: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>
  readonly onEvent: (event: LiveEvent) => void
  /** Called if events behind the last one are not kept any more. */
  readonly onReset: () => void
}

/** Milliseconds before a new attempt. Each failure in a row doubles them. */
const retryMs = { first: 3_000, max: 60_000 }

/** The server sends a comment every 20 seconds. A connection that is silent for longer has been lost, such as after a sleep. In milliseconds. */
const silenceMs = 50_000

/** Listens to the events of the account. Opens the stream again after a break, behind the last event. Failures are silent. */
export class LiveStream {
  readonly #position: EventPosition = { lastId: '' }
  #failures = 0
  #closing: AbortController | undefined

  constructor(private readonly options: Options) {}

  open(): void {
    if (this.#closing !== undefined) return
    this.#closing = new AbortController()
    void this.#run(this.#closing.signal)
  }

  /** Frees the connection. The next `open` continues behind the last event. */
  close(): void {
    this.#closing?.abort()
    this.#closing = undefined
    this.#failures = 0
  }

  async #run(closed: AbortSignal): Promise<void> {
    while (!closed.aborted) {
      await this.#listen(closed)
      await pause(Math.min(retryMs.first * 2 ** this.#failures, retryMs.max), closed)
      this.#failures++
    }
  }

  async #listen(closed: AbortSignal): Promise<void> {
    const silent = new AbortController()
    let timer = setTimeout(() => silent.abort(), silenceMs)
    const onChunk = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), silenceMs)
    }
    try {
      const chunks = await this.options.open(this.#position.lastId, AbortSignal.any([closed, silent.signal]))
      this.#failures = 0
      for await (const event of readEvents(each(chunks, onChunk), this.#position)) {
        if (closed.aborted) return
        if (event.type === 'reset') this.options.onReset()
        else if (event.type === 'message') this.options.onEvent(JSON.parse(event.data) as LiveEvent)
      }
    } catch {
      // The user has not asked for it: the page works without, and the next attempt may succeed.
    } finally {
      clearTimeout(timer)
    }
  }
}

async function* each(chunks: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    onChunk()
    yield chunk
  }
}

/** Resolves after this time, or when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
