import { ApiError } from '@svc/contract/errors'
import type { EventArea } from '@svc/contract/events'
import type { EventConnection } from '../../http/answer.js'
import { isReadableEvent, type ShownEvent } from '../../journal/events.js'
import type { Caller } from '../../shared/account.js'
import { keepAliveBlock } from './blocks.js'
import { readableAreas } from './readable.js'

/**
 * The most bytes that a client may leave unread. One that reads more slowly than events happen is dropped, and comes back with its last id:
 * the database has the rest of its events, so memory need not.
 */
const unsentMax = 64 * 1024

/** A caller is authenticated again this often: a token may have been revoked, or a session ended. In milliseconds. */
const authenticatedEveryMs = 8_000

/** For so long an authentication counts while the database fails. */
const authenticatedMaxMs = 13_000

interface ListenerOptions {
  readonly connection: EventConnection
  readonly caller: Caller
  readonly areas: readonly EventArea[]
  /** The id behind which the stream begins. */
  readonly after: number
  /** The tick of its comments. */
  readonly slot: number
  /** On the clock of `performance.now()`. */
  readonly now: number
}

/** One stream: what its caller may see, and how far it has got. */
export class Listener {
  /** The events up to this id have been sent, or are not for this caller. */
  cursor: number
  /** Whether it gets new events. Before that, it reads those of the past from the database. */
  isLive = false
  #caller: Caller
  #readable: ReadonlySet<EventArea>
  #authenticatedAt: number
  #isAuthenticating = false

  constructor(private readonly options: ListenerOptions) {
    this.cursor = options.after
    this.#caller = options.caller
    this.#readable = readableAreas(options.areas, options.caller)
    this.#authenticatedAt = options.now
  }

  get accountId(): number {
    return this.#caller.account.id
  }

  get connection(): EventConnection {
    return this.options.connection
  }

  get slot(): number {
    return this.options.slot
  }

  mayRead(event: ShownEvent): boolean {
    return this.#readable.has(event.area) && isReadableEvent(this.#caller.account.rules, event)
  }

  /** @param block returns the bytes of the event, which all listeners share */
  offer(event: ShownEvent, block: () => Buffer): void {
    if (!this.isLive || event.id <= this.cursor) return
    this.cursor = event.id
    if (!this.mayRead(event)) return
    this.connection.write(block())
  }

  /** Drops a client that has not read what was sent in earlier turns of the event loop. */
  dropIfSlow(): void {
    if (this.connection.unsent > unsentMax) this.connection.drop()
  }

  keepAlive(): void {
    if (this.connection.unsent === 0) this.connection.write(keepAliveBlock)
  }

  isDue(now: number): boolean {
    return now - this.#authenticatedAt >= authenticatedEveryMs
  }

  /** Authenticates the caller again. Ends the stream of one that is not valid any more. */
  async authenticate(now: number): Promise<void> {
    if (now - this.#authenticatedAt >= authenticatedMaxMs) this.connection.end()
    if (this.#isAuthenticating || !this.connection.isOpen) return
    this.#isAuthenticating = true
    try {
      this.#caller = await this.connection.authenticate()
      this.#readable = readableAreas(this.options.areas, this.#caller)
      this.#authenticatedAt = now
      if (this.#readable.size === 0) this.connection.end()
    } catch (error) {
      // After any other error the next check tries again: a database that is away for seconds must not end all streams.
      if (error instanceof ApiError) this.connection.end()
    } finally {
      this.#isAuthenticating = false
    }
  }
}
