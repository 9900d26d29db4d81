/**
 * Makes something at its first use and keeps it. A failure is not kept: the callers that waited for it get the error,
 * and the next call tries again.
 */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
