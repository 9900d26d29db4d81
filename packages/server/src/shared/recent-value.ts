/**
 * Reads a value that other processes change, at most once in a time: calls in between get the value of the last read. Calls during a read
 * share it. A failed read is not kept.
 * @param keptMs milliseconds after a read until the next call reads again
 */
export function recentValue<T>(
  read: () => Promise<T>,
  keptMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let value: Promise<T> | undefined
  let until = Infinity
  return () => {
    if (value === undefined || now() >= until) {
      until = Infinity
      value = read().then(
        (found) => {
          until = now() + keptMs
          return found
        },
        (error: unknown) => {
          value = undefined
          throw error
        },
      )
    }
    return value
  }
}
