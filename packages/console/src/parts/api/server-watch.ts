/** An outage of the server. */
export interface Outage {
  /** Time of the next attempt, as `Date.now()` has it; undefined while one runs. */
  readonly retryAt: number | undefined
}

export interface ServerState {
  readonly outage: Outage | undefined
  /** Whether the server has another build of the console than this page. */
  readonly isUpdated: boolean
}

interface Options {
  /** The build of this page. */
  readonly build: string | undefined
  /** Reads the build that the server has. Resolves within a few seconds; with undefined if the server does not answer. */
  readonly readBuild: () => Promise<string | undefined>
  /** Called at the end of an outage. */
  readonly onReturn: () => void
}

/** Milliseconds between two attempts. The last one is repeated. */
const delaysMs = [1_000, 2_000, 4_000, 8_000]

/** Finds out whether the server answers, and repeats that with a backoff until it does. */
export class ServerWatch {
  #state: ServerState = { outage: undefined, isUpdated: false }
  #failures = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #waiting: (() => void)[] = []
  readonly #listeners = new Set<() => void>()

  constructor(private readonly options: Options) {}

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  readonly state = (): ServerState => this.#state

  /** Asks the server now. */
  readonly check = (): Promise<void> =>
    (this.#running ??= this.#ask().finally(() => {
      this.#running = undefined
    }))

  /** A request had no answer. That may be about this request only: asks the server, unless an outage is known. */
  readonly suspect = (): void => {
    if (this.#state.outage === undefined) void this.check()
  }

  /** Resolves when the server answers. */
  readonly answering = (): Promise<void> => {
    const answered = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.suspect()
    return answered
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#state.outage !== undefined) this.#set({ outage: { retryAt: undefined } })
    const build = await this.options.readBuild()
    if (build === undefined) this.#retryLater()
    else this.#answered(build)
  }

  #retryLater(): void {
    const delay = delaysMs[Math.min(this.#failures++, delaysMs.length - 1)] ?? 0
    this.#timer = setTimeout(() => void this.check(), delay)
    this.#set({ outage: { retryAt: Date.now() + delay } })
  }

  #answered(build: string): void {
    const wasOut = this.#state.outage !== undefined
    this.#failures = 0
    this.#set({ outage: undefined, isUpdated: build !== this.options.build })
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
    if (wasOut) this.options.onReturn()
  }

  #set(changes: Partial<ServerState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }
}
