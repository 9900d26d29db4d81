import type { Remark } from './zone-lines-rules.js'

/** How many remarks of each kind are kept: more than anybody reads. */
const kept = 1000

/** Remarks about a file, of which any number may be made. */
export class Remarks {
  readonly list: Remark[] = []
  /** How many were made beyond those in the list. */
  others = 0

  add(...remarks: readonly Remark[]): void {
    for (const remark of remarks)
      if (this.list.length < kept) this.list.push(remark)
      else this.others += 1
  }

  get isFull(): boolean {
    return this.list.length >= kept
  }
}
