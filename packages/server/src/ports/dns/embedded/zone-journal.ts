import { ofType, recordsOf, type Stored } from './stored.js'

/**
 * The last changes of the zones in memory, for incremental transfers (RFC 1995). They are the differences between served contents,
 * not the rows of the history: those lack the values of challenges, what another process has changed, and RRsets that cannot be served.
 */

/** One RRset before and after a change; undefined without it. */
export interface Change {
  readonly key: string
  readonly type: number
  readonly before: Stored | undefined
  readonly after: Stored | undefined
}

/** The changes from one serial to another. */
interface Delta {
  readonly from: number
  readonly to: number
  readonly changes: readonly Change[]
  /** Octets in memory, approximately. */
  readonly size: number
}

/** Octets in memory of a change without its records. */
const changeSize = 200

export interface JournalLimits {
  /** Octets of all zones together. */
  readonly totalMax: number
  /** Octets of one zone. Beyond them, a whole transfer takes less. */
  readonly zoneMax: number
}

const defaultLimits: JournalLimits = { totalMax: 32 * 1024 * 1024, zoneMax: 1024 * 1024 }

/** The journals of all zones. The one that has not changed for the longest time is emptied first. */
export class Journals {
  /** Without secondaries, no changes are kept. */
  isRecording = false
  private size = 0
  /** The last one has changed last. */
  private readonly used = new Set<ZoneJournal>()

  constructor(readonly limits = defaultLimits) {}

  /** Notes that a journal has grown or shrunk. */
  resized(journal: ZoneJournal, by: number): void {
    this.size += by
    this.used.delete(journal)
    if (journal.size > 0) this.used.add(journal)
    // The journals that are emptied below shrink: the loop goes on, instead of a call in each call.
    if (by <= 0) return
    for (const oldest of this.used) {
      if (this.size <= this.limits.totalMax) return
      oldest.clear()
    }
  }
}

/** The changes of one zone, back to a serial. */
export class ZoneJournal {
  size = 0
  private deltas: Delta[] = []
  /** RRsets that have changed since `base`, as they were then. */
  private readonly open = new Map<string, Omit<Change, 'after'>>()
  /** The serial that the deltas lead to; undefined if unknown. */
  private base: number | undefined
  /** A serial that had two different contents. No secondary can be led from it to the next. */
  private ambiguous: number | undefined

  constructor(private readonly journals: Journals) {}

  /** Whether the changes that follow can be recorded: without a known serial before them, they cannot. */
  begin(serial: number, isComplete: boolean): boolean {
    if (!this.journals.isRecording) return false
    if (this.base === undefined && isComplete && serial !== this.ambiguous) this.base = serial
    return this.base !== undefined
  }

  /** Notes an RRset that is about to change. */
  note(key: string, type: number, before: Stored | undefined): void {
    const id = `${type}${key}`
    if (!this.open.has(id)) this.open.set(id, { key, type, before })
  }

  /** Ends a delta: the contents are exactly those of the serial. @param first finds the first RRset of a name */
  end(serial: number, first: (key: string) => Stored | undefined): void {
    if (this.base === undefined) return
    const changes = []
    for (const { key, type, before } of this.open.values()) {
      const after = ofType(first(key), type)
      if (!isSame(before, after)) changes.push({ key, type, before, after })
    }
    this.open.clear()
    if (this.base !== serial) {
      this.push({ from: this.base, to: serial, ...owned(changes) })
      this.base = serial
    } else if (changes.length > 0) {
      this.clear()
      this.base = undefined
      this.ambiguous = serial
    }
  }

  /** The difference between a serial and the last one that `end` was called with; undefined if the changes do not reach back. */
  since(serial: number): readonly Change[] | undefined {
    const start = this.deltas.findIndex(({ from }) => from === serial)
    if (start < 0) return undefined
    const merged = new Map<string, Change>()
    for (const { changes } of this.deltas.slice(start))
      for (const { key, type, before, after } of changes) {
        const id = `${type}${key}`
        const earlier = merged.get(id)
        merged.set(id, { key, type, before: earlier === undefined ? before : earlier.before, after })
      }
    return [...merged.values()]
  }

  /** Starts over with other contents. @param serial of the contents before */
  restart(serial: number): void {
    this.clear()
    this.open.clear()
    this.base = undefined
    this.ambiguous = serial
  }

  /** Forgets the changes. */
  clear(): void {
    this.deltas = []
    const { size } = this
    this.size = 0
    this.journals.resized(this, -size)
  }

  private push(delta: Delta): void {
    if (delta.size > this.journals.limits.zoneMax) {
      this.clear()
      return
    }
    let by = delta.size
    this.deltas.push(delta)
    while (this.size + by > this.journals.limits.zoneMax) by -= this.deltas.shift()?.size ?? 0
    this.size += by
    this.journals.resized(this, by)
  }
}

/** Whether two RRsets have the same records. Their order has no meaning (RFC 2181, section 5): a load has another one than a change. */
export function isSame(one: Stored | undefined, other: Stored | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  if (one.end - one.start !== other.end - other.start) return false
  if (one.bytes.compare(other.bytes, other.start, other.end, one.start, one.end) === 0) return true
  const records = recordsOf(one)
  return Array.from(recordsOf(other).keys()).every((record) => records.has(record))
}

/** Copies changes into a separate buffer: otherwise they would keep all octets of a load in memory. */
function owned(changes: readonly Change[]): Pick<Delta, 'changes' | 'size'> {
  const sets = changes.flatMap(({ before, after }) => [before, after])
  const length = sets.reduce((sum, set) => sum + (set === undefined ? 0 : set.end - set.start), 0)
  const bytes = Buffer.allocUnsafeSlow(length)
  let end = 0
  const copyOf = (set: Stored | undefined): Stored | undefined => {
    if (set === undefined) return undefined
    const start = end
    end += set.bytes.copy(bytes, start, set.start, set.end)
    return { type: set.type, serial: set.serial, bytes, start, end, next: undefined }
  }
  return {
    changes: changes.map(({ key, type, before, after }) => ({
      key,
      type,
      before: copyOf(before),
      after: copyOf(after),
    })),
    size: length + (1 + changes.length) * changeSize,
  }
}
