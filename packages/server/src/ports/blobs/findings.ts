/** How many entries of one kind are kept. */
const keptMax = 20

/** Counts entries of one kind and keeps the first 20, so that memory does not grow with their number. */
export class Findings<T> {
  count = 0
  readonly first: T[] = []

  add(entry: T): void {
    this.count += 1
    if (this.first.length < keptMax) this.first.push(entry)
  }
}
