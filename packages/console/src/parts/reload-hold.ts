/** What a reload of the page would lose: the input of forms, and uploads. */

const holds = { input: 0, uploads: 0 }
const listeners = new Set<() => void>()

function change(what: keyof typeof holds, by: number): void {
  holds[what] += by
  for (const listener of listeners) listener()
}

/** The page offers no reload until the returned function is called, once. */
export function holdReload(what: keyof typeof holds): () => void {
  change(what, 1)
  return () => change(what, -1)
}

/** Whether a form has input, or an upload is not finished. */
export const isReloadHeld = (): boolean => holds.input + holds.uploads > 0

/** Whether a form has input. */
export const hasInput = (): boolean => holds.input > 0

/** For `useSyncExternalStore`. */
export const subscribeReloadHold = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
