/**
 * Works on the items of a generator in several lanes at once. The first error ends all lanes.
 * @param act gets a signal that is aborted when another lane has failed
 * @throws the first error, after all lanes have ended
 */
export async function inLanes<T>(
  lanes: number,
  items: AsyncGenerator<T>,
  act: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const lane = async () => {
    try {
      for await (const item of items) await act(item, stop.signal)
    } catch (error) {
      stop.abort(error)
      throw error
    }
  }
  await Promise.allSettled(Array.from({ length: lanes }, lane))
  stop.signal.throwIfAborted()
}
