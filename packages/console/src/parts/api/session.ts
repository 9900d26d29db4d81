import { SvcError } from '@svc/client'

/**
 * The state of the browser's session. A call that is answered with 401 waits here until the user has signed in again, and is then
 * repeated, so that no input is lost.
 */

type Listener = () => void

interface Pause {
  readonly resume: () => void
  readonly fail: (reason: Error) => void
}

let paused: Pause[] = []
/** How often the user has signed in again. */
let signIns = 0
const listeners = new Set<Listener>()

function changed(): void {
  for (const listener of listeners) listener()
}

/** For `useSyncExternalStore`. */
export const subscribeExpired = (listener: Listener) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Whether calls wait for a sign-in. */
export const isExpired = (): boolean => paused.length > 0

/** Waits until the user has signed in again. @throws the reason of `failCalls` */
function waitForSignIn(): Promise<void> {
  const signedIn = new Promise<void>((resume, fail) => {
    paused.push({ resume, fail })
  })
  changed()
  return signedIn
}

/** The user has signed in again: repeats the calls that wait. */
export function resumeCalls(): void {
  signIns++
  const waiting = paused
  paused = []
  for (const { resume } of waiting) resume()
  changed()
}

/** The user has left the sign-in: the calls that wait fail. */
export function failCalls(reason: Error): void {
  const waiting = paused
  paused = []
  for (const { fail } of waiting) fail(reason)
  changed()
}

export type AnyCall = (...args: readonly unknown[]) => Promise<unknown>

/** Repeats a call after the user has signed in again, if the session has ended. */
export const resuming =
  (call: AnyCall): AnyCall =>
  async (...args) => {
    const before = signIns
    try {
      return await call(...args)
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error
      // An answer that was on its way during the sign-in is about the session that has ended.
      if (signIns === before) await waitForSignIn()
      return call(...args)
    }
  }
