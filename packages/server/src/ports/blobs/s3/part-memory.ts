import { Slots } from '../../../shared/slots.js'
import { StorageError } from '../port.js'

const waitingMax = 1_000
const waitMs = 30_000

/** Limits the memory of all uploads together. Only an upload that holds no part waits, so uploads never wait for each other. */
export class PartMemory {
  readonly #slots: Slots

  constructor(partsMax: number) {
    this.#slots = new Slots(partsMax, waitingMax)
  }

  /** Takes memory for the first part of an upload. @throws StorageError if there is none within 30 seconds */
  async takeFirst(): Promise<void> {
    if (!(await this.#slots.take(performance.now() + waitMs)))
      throw new StorageError('The bytes could not be stored: the server is storing too many files at the moment.')
  }

  /** Takes memory for another part. @returns false if there is none at the moment */
  takeAnother(): Promise<boolean> {
    return this.#slots.take(performance.now())
  }

  release(parts: number): void {
    for (let i = 0; i < parts; i++) this.#slots.release()
  }
}
