/** What a reload of the page would lose: the input of forms, and uploads. */

let holds = 0
const listeners = new Set<() => void>()

function change(by: number): void {
  holds += by
  for (const listener of listeners) listener()
}

/** The page offers no reload until the returned function is called, once. */
export function holdReload(): () => void {
  change(1)
  return () => change(-1)
}

/** Whether a form has input, or an upload is not finished. */
export const isReloadHeld = (): boolean => holds > 0

/** For `useSyncExternalStore`. */
export const subscribeReloadHold = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
