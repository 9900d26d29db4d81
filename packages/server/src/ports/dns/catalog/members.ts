import { createHash } from 'node:crypto'

/** A zone that the secondaries serve. */
export interface Member {
  readonly zone: string
  /** Id of the account whose records are served; null for none. */
  readonly owner: number | null
}

/** Octets of a digest. */
const digestSize = 16

/**
 * The members of a catalog, with a digest of all of them that takes the same time however many there are. A member's label depends on
 * zone and owner: a secondary drops its copy of a zone whose label changes (RFC 9432, section 5.4).
 */
export class Members {
  private readonly labels = new Map<string, string>()
  private readonly sum = Buffer.alloc(digestSize)

  /** @returns whether it was not a member with this owner before */
  set({ zone, owner }: Member): boolean {
    const label = labelOf(zone, owner)
    if (this.labels.get(zone) === label) return false
    this.delete(zone)
    this.labels.set(zone, label)
    this.toggle(label)
    return true
  }

  /** @returns whether it was a member before */
  delete(zone: string): boolean {
    const label = this.labels.get(zone)
    if (label === undefined) return false
    this.labels.delete(zone)
    this.toggle(label)
    return true
  }

  labelOf(zone: string): string | undefined {
    return this.labels.get(zone)
  }

  get zones(): IterableIterator<string> {
    return this.labels.keys()
  }

  /** Does not depend on the order of the members: an exclusive or of all labels. */
  get digest(): string {
    return this.sum.toString('hex')
  }

  private toggle(label: string): void {
    for (let at = 0; at < digestSize; at++)
      this.sum[at] = (this.sum[at] ?? 0) ^ Number.parseInt(label.slice(2 * at, 2 * at + 2), 16)
  }
}

/** Unique in the catalog (RFC 9432, section 4.1). */
const labelOf = (zone: string, owner: number | null): string =>
  createHash('sha256')
    .update(`${zone} ${String(owner)}`)
    .digest('hex')
    .slice(0, 2 * digestSize)
