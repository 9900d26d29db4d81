import { Slots } from '../../../shared/slots.js'
import { StorageError } from '../port.js'

const waitingMax = 1_000

/** Longer than a slow upload holds memory that is wanted: its client sends a byte every 20 seconds or is cut off. */
const waitMs = 60_000

/** The lowest rate of an upload that holds memory while others wait for it. */
const bytesPerSecondMin = 64 * 1024

/** Limits the memory of all uploads together. Only an upload that holds no part waits, so uploads never wait for each other. */
export class PartMemory {
  readonly #slots: Slots
  /** Uploads that wait for their first part. */
  #waiting = 0

  constructor(partsMax: number) {
    this.#slots = new Slots(partsMax, waitingMax)
  }

  /** Takes memory for the first part of an upload. @throws StorageError if none is free within a minute */
  async takeFirst(): Promise<void> {
    this.#waiting++
    try {
      if (!(await this.#slots.take(performance.now() + waitMs)))
        throw new StorageError('The bytes could not be stored: the server is storing too many files at the moment.')
    } finally {
      this.#waiting--
    }
  }

  /**
   * Called by an upload that holds memory, from time to time.
   * @param bytes how many have arrived in that time
   * @throws StorageError if they arrive too slowly while other uploads wait for memory
   */
  refuseSlow(bytes: number, seconds: number): void {
    if (this.#waiting > 0 && bytes < bytesPerSecondMin * seconds)
      throw new StorageError('The bytes could not be stored: they arrived slowly while other uploads had to wait.')
  }

  /** Takes memory for another part. @returns false if none is free */
  takeAnother(): Promise<boolean> {
    return this.#slots.take(performance.now())
  }

  release(parts: number): void {
    for (let i = 0; i < parts; i++) this.#slots.release()
  }
}
