import { SvcError } from '@svc/client'

type Listener = () => void

interface Pause {
  readonly resume: () => void
  readonly fail: (reason: Error) => void
}

export type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

/**
 * Calls that the server has refused until the user enters the password. They wait here, and are then repeated, so that no input is
 * lost.
 */
export class PausedCalls {
  #paused: Pause[] = []
  /** How often the user has entered the password. */
  #entries = 0
  readonly #listeners = new Set<Listener>()

  /** @param code the error of the refusal */
  constructor(private readonly code: string) {}

  /** For `useSyncExternalStore`. */
  subscribe = (listener: Listener) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Whether calls wait. */
  isWaiting = (): boolean => this.#paused.length > 0

  /** The user has entered the password: repeats the calls that wait. */
  resume = (): void => {
    this.#entries++
    for (const { resume } of this.#end()) resume()
    this.#changed()
  }

  /** The user does not enter the password: the calls that wait fail. */
  fail = (reason: Error): void => {
    for (const { fail } of this.#end()) fail(reason)
    this.#changed()
  }

  /** Repeats a call after the user has entered the password, if it was refused. */
  repeating =
    (call: AnyCall): AnyCall =>
    async (...args) => {
      const before = this.#entries
      try {
        return await call(...args)
      } catch (error) {
        if (!(error instanceof SvcError) || error.code !== this.code) throw error
        // A refusal that was on its way while the password was entered is about the time before.
        if (this.#entries === before) await this.ask()
        return call(...args)
      }
    }

  /** Asks for the password, and waits for it. @throws the reason of `fail` */
  ask(): Promise<void> {
    const entered = new Promise<void>((resume, fail) => {
      this.#paused.push({ resume, fail })
    })
    this.#changed()
    return entered
  }

  #end(): readonly Pause[] {
    const waiting = this.#paused
    this.#paused = []
    return waiting
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
