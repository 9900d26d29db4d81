import type { Remark } from './lexer.js'

/** How many remarks of each kind are kept; further ones are only counted. */
const kept = 1000

/** Collects remarks about a file, without a limit on how many are added. */
export class Remarks {
  readonly list: Remark[] = []
  /** How many were added beyond those in the list. */
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
