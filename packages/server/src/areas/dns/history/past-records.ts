import { notFound } from '@svc/contract/errors'
import type { Reader } from '../../../db/port.js'
import { runInSlices } from '../../../shared/time-slices.js'
import type { Pause } from '../records/pages.js'
import { contentKey, contentOf, readSets, type RecordContent } from '../zones/change-text.js'
import { reaches, readSince, type ChangeRow, type HistoryKey } from './change-store.js'

/** 404 for a serial that the history of the account does not have. */
export const serialNotFound = () => notFound('such serial in the history of this zone')

/** The records of a zone by their contents. */
export type Contents = ReadonlyMap<string, RecordContent>

/**
 * The records of an account in a zone as they were at a serial: those of now, with the changes since undone. The oldest change since then
 * that names a value decides about it. So a change that another process makes meanwhile does no harm, if the records are read first.
 * @param key with a serial that the zone had after the records were read
 * @param records those of now, read before this call
 * @throws ApiError `not_found` for a serial that the history does not reach
 */
export async function recordsAt(
  reader: Reader,
  key: HistoryKey,
  serial: number,
  records: readonly RecordContent[],
  pause: Pause,
): Promise<Contents> {
  if (!(await reaches(reader, key, serial))) throw serialNotFound()
  const decided = new Map<string, RecordContent | undefined>()
  for await (const rows of readSince(reader, key, serial)) await runInSlices(undoSteps(rows, decided), pause)
  // The oldest changes may have been removed meanwhile, and with them some that this has not read.
  if (!(await reaches(reader, key, serial))) throw serialNotFound()
  return runInSlices(decidedSteps(records, decided), pause)
}

/** By content: the record that was there, or undefined for one that was not. */
type Decided = Map<string, RecordContent | undefined>

function* undoSteps(
  rows: readonly Pick<ChangeRow, 'removed' | 'added'>[],
  decided: Decided,
): Generator<undefined, void> {
  for (const { removed, added } of rows) {
    for (const contents of contentsIn(removed)) {
      for (const record of contents) {
        const content = contentKey(record)
        if (!decided.has(content)) decided.set(content, record)
      }
      yield
    }
    for (const contents of contentsIn(added)) {
      for (const record of contents) {
        const content = contentKey(record)
        if (!decided.has(content)) decided.set(content, undefined)
      }
      yield
    }
  }
}

const recordsPerStep = 500

function* decidedSteps(records: readonly RecordContent[], decided: Decided): Generator<undefined, Contents> {
  const contents = new Map<string, RecordContent>()
  let count = 0
  for (const record of records) {
    contents.set(contentKey(record), record)
    if (++count % recordsPerStep === 0) yield
  }
  for (const [content, record] of decided) {
    if (record === undefined) contents.delete(content)
    else contents.set(content, record)
    if (++count % recordsPerStep === 0) yield
  }
  return contents
}

/** The records of the stored form of a list of RRsets, in pieces. */
export function* contentsIn(text: string): Generator<RecordContent[], void> {
  for (const sets of readSets(text)) yield sets.flatMap((set) => set.values.map((value) => contentOf(set, value)))
}
