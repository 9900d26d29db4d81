import type { LiveEvent } from './live-stream.js'

interface Options {
  /** Whether a request of this tab made the event. */
  readonly isOwn: (requestId: string | null) => boolean
  /** Whether a request of this tab, which may have made an event, has no answer yet. */
  readonly isWriting: () => boolean
  /** Whether a form has input, which a new answer could remove from the page. */
  readonly isHeld: () => boolean
  /** Reads again what the events changed. @param events undefined for everything */
  readonly read: (events: readonly LiveEvent[] | undefined) => Promise<unknown>
  /** Tells the user. */
  readonly tell: (events: readonly LiveEvent[]) => void
}

/** Events within this time are one change. In milliseconds. */
const togetherMs = 300

/** As often, events wait another time for the answer to a request of this tab. */
const waitsMax = 10

/** More events at once, such as after a night, are not kept until their time ends. */
const waitingMax = 1_000

/** More things that wait for a form are everything. */
const unreadMax = 100

/** Collects the events of others, so that a page reads once after many changes, and not after its own. */
export class LiveChanges {
  #waiting: LiveEvent[] = []
  #waits = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** By area and zone: all that a read depends on. */
  readonly #unread = new Map<string, LiveEvent>()
  #isAllUnread = false
  #isReading = false

  constructor(private readonly options: Options) {}

  readonly add = (event: LiveEvent): void => {
    if (this.options.isOwn(event.request_id)) return
    this.#waiting.push(event)
    if (this.#waiting.length >= waitingMax) this.#take()
    else this.#timer ??= setTimeout(this.#flush, togetherMs)
  }

  /** Events are missing. */
  readonly addAll = (): void => {
    this.#isAllUnread = true
    this.release()
  }

  /** A form may have lost its input: reads what has waited for it. */
  readonly release = (): void => void this.#readUnread()

  /** Forgets what waits. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting = []
    this.#unread.clear()
    this.#isAllUnread = false
  }

  readonly #flush = (): void => {
    this.#timer = undefined
    if (this.options.isWriting() && this.#waits++ < waitsMax) this.#timer = setTimeout(this.#flush, togetherMs)
    else this.#take()
  }

  #take(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waits = 0
    const events = this.#waiting.filter(({ request_id: id }) => !this.options.isOwn(id))
    this.#waiting = []
    if (events.length === 0) return
    for (const event of events) this.#unread.set(`${event.area} ${event.zone ?? event.object}`, event)
    if (this.#unread.size > unreadMax) this.#isAllUnread = true
    if (this.#isAllUnread) this.#unread.clear()
    this.options.tell(events)
    this.release()
  }

  /** One read at a time: the next one begins after the events that arrived meanwhile. */
  async #readUnread(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    while ((this.#isAllUnread || this.#unread.size > 0) && !this.options.isHeld()) {
      const events = this.#isAllUnread ? undefined : [...this.#unread.values()]
      this.#unread.clear()
      this.#isAllUnread = false
      await this.options.read(events)
    }
    this.#isReading = false
  }
}
