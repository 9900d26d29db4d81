import { uploadPartsMax } from '@svc/contract'

const mebibyte = 2 ** 20
const shortest = mebibyte / 4
const longest = 32 * mebibyte
const secondsPerPart = 2

/**
 * The length of a part in bytes that a line sends in about two seconds, so that the progress moves on a slow line and requests are few
 * on a fast one. `fetch` does not report how much of a body it has sent.
 * @param bytesPerSecond undefined if not measured yet
 */
export const partBytesAt = (bytesPerSecond: number | undefined): number =>
  bytesPerSecond === undefined
    ? mebibyte
    : Math.round(Math.min(Math.max(bytesPerSecond * secondsPerPart, shortest), longest))

/** A range of the file. `end` is exclusive. */
export interface Part {
  readonly index: number
  readonly start: number
  readonly end: number
}

/** Cuts a file into parts as their turn comes, and remembers which of them the server has. */
export class PartPlan {
  #cutBytes = 0
  #count = 0
  /** Parts that the server has not confirmed. */
  readonly #open = new Map<number, Part>()
  readonly #inFlight = new Set<number>()

  /** @param size of the file in bytes */
  constructor(readonly size: number) {}

  /** The next part to send: a lost one, otherwise a new one; undefined if all are in flight or have arrived. */
  take(bytesPerSecond: number | undefined): Part | undefined {
    const lost = [...this.#open.values()].find(({ index }) => !this.#inFlight.has(index))
    const part = lost ?? this.#cut(partBytesAt(bytesPerSecond))
    if (part !== undefined) this.#inFlight.add(part.index)
    return part
  }

  /** The request of the part has ended, with or without an answer. */
  release({ index }: Part): void {
    this.#inFlight.delete(index)
  }

  /** @param indexes the parts that the server has, as its answers list them */
  confirm(indexes: readonly number[]): void {
    for (const index of indexes) this.#open.delete(index)
  }

  /** Number of parts so far. */
  get count(): number {
    return this.#count
  }

  get sentBytes(): number {
    return this.#cutBytes - [...this.#open.values()].reduce((sum, { start, end }) => sum + end - start, 0)
  }

  #cut(wanted: number): Part | undefined {
    const rest = this.size - this.#cutBytes
    if (rest === 0) return undefined
    // The remaining indexes must be enough for the remaining bytes.
    const length = Math.min(Math.max(wanted, Math.ceil(rest / (uploadPartsMax - this.#count))), rest)
    const part = { index: this.#count, start: this.#cutBytes, end: this.#cutBytes + length }
    this.#open.set(part.index, part)
    this.#count++
    this.#cutBytes = part.end
    return part
  }
}
