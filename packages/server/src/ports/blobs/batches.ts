/** Groups the entries of a list. No group is empty. */
export async function* batches<T>(entries: AsyncIterable<T>, max: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < max) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
