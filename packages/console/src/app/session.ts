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
export function waitForSignIn(): Promise<void> {
  const signedIn = new Promise<void>((resume, fail) => {
    paused.push({ resume, fail })
  })
  changed()
  return signedIn
}

/** The user has signed in again: repeats the calls that wait. */
export function resumeCalls(): void {
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
