import { OperatorError } from '../../shared/operator-error.js'

/** The new ids of the rows of a table, in the order of the old ones. Takes 16 bytes for a row. */
export class IdMap {
  /** @param old in ascending order @param fresh as many, in ascending order */
  constructor(
    private readonly table: string,
    private readonly old: readonly number[],
    private readonly fresh: readonly number[],
  ) {}

  /** @throws OperatorError for an id that is not in the archive */
  get(id: unknown): number {
    let [low, high] = [0, this.old.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.old[middle] as number) < Number(id)) low = middle + 1
      else high = middle
    }
    const fresh = this.old[low] === id ? this.fresh[low] : undefined
    if (fresh !== undefined) return fresh
    throw new OperatorError(
      `The archive is damaged: a row refers to the row ${String(id)} of the table ${this.table}, which it does not have.`,
    )
  }
}
