import { TimeSlices } from '../../../shared/time-slices.js'
import { recordsOf } from '../embedded/stored.js'
import type { Change } from '../embedded/zone-journal.js'
import type { Records } from './messages.js'

/** The records that an incremental transfer removes and adds (RFC 1995, section 4). */
export interface Difference {
  readonly removed: readonly Records[]
  readonly added: readonly Records[]
}

/** Compares the RRsets of changes record by record, in slices: they may have tens of thousands of records. */
export async function differenceOf(changes: readonly Change[], signal: AbortSignal): Promise<Difference> {
  const removed: Records[] = []
  const added: Records[] = []
  const slices = new TimeSlices(signal)
  for (const { key, before, after } of changes) {
    if (slices.isOver) await slices.next()
    const [earlier, later] = [recordsOf(before), recordsOf(after)]
    for (const [text, span] of earlier) if (!later.has(text)) removed.push({ key, ...span })
    for (const [text, span] of later) if (!earlier.has(text)) added.push({ key, ...span })
  }
  return { removed, added }
}
