/**
 * Calls a function for the next items while the caller works on the present one. The results keep the order of the items.
 * @param work must not reject: the caller may leave before it has seen every result
 * @param count how many calls run at the same time
 */
export async function* ahead<T, R>(
  items: Iterable<T>,
  count: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  for (const item of items) {
    running.push(work(item))
    if (running.length === count) yield await (running.shift() as Promise<R>)
  }
  for (const last of running) yield await last
}
