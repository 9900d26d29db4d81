/** A second call with the same input within this time is a double click. In milliseconds, as most systems have it. */
export const doubleClickMs = 500

/**
 * Allows a call only if no other call runs, and refuses the same input again within the time of a double click: the first call may have
 * ended before the second click.
 */
export function repeatGuard(now: () => number = () => performance.now()) {
  let isRunning = false
  let last: { readonly input: string | undefined; readonly at: number } | undefined
  return {
    /** Whether the call may start; it runs until `end`. */
    start(input: unknown): boolean {
      const text = JSON.stringify(input) as string | undefined
      if (isRunning || (last !== undefined && last.input === text && now() - last.at < doubleClickMs)) return false
      isRunning = true
      last = { input: text, at: now() }
      return true
    },
    /** A call that failed may be repeated at once. */
    end(isDone: boolean): void {
      isRunning = false
      if (!isDone) last = undefined
    },
  }
}
