/**
 * Creates a value at its first use and keeps it. A failure is not kept: all waiting callers get the error, and the next
 * call tries again.
 */
export function lazy<T>(create: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined
  return () => {
    value ??= create().catch((error: unknown) => {
      value = undefined
      throw error
    })
    return value
  }
}
