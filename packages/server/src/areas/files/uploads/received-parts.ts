import { badRequest } from '@svc/contract/errors'
import { Fingerprint } from '../contents/content-store.js'
import type { UploadPart } from './upload-row-store.js'

/** How many ranges of indexes a message names. */
const rangesMax = 20

/** Indexes that follow one another. */
interface IndexRange {
  readonly first: number
  readonly last: number
}

/** What has arrived of an upload, without the list of its parts: a request that waits would hold 10,000 of them. */
export interface ReceivedParts {
  /** Identifies the parts (`fingerprintOf`). */
  readonly fingerprint: string
  readonly bytes: number
  /** The indexes of the parts, in order. */
  readonly indexes: readonly IndexRange[]
}

/** Sums up the parts of an upload. @param pages all its parts, by index */
export async function receivedParts(pages: AsyncIterable<readonly UploadPart[]>): Promise<ReceivedParts> {
  const fingerprint = new Fingerprint()
  const indexes: { first: number; last: number }[] = []
  let bytes = 0
  for await (const parts of pages) {
    fingerprint.add(parts)
    for (const { part, size } of parts) {
      bytes += size
      const range = indexes.at(-1)
      if (range?.last === part - 1) range.last = part
      else indexes.push({ first: part, last: part })
    }
  }
  return { fingerprint: fingerprint.end(), bytes, indexes }
}

/**
 * Checks that an upload has exactly the parts from 0 to `parts` - 1.
 * @throws ApiError `bad_request` that names the missing parts, or those beyond the last
 */
export function requireComplete({ indexes }: Pick<ReceivedParts, 'indexes'>, parts: number): void {
  const missing = missingBelow(parts, indexes)
  if (missing.length > 0)
    throw badRequest('parts', `is ${parts}, but ${countOf(missing)} of these parts are missing: ${named(missing)}`)
  const beyond = indexes.flatMap(({ first, last }) => (last < parts ? [] : [{ first: Math.max(first, parts), last }]))
  if (beyond.length > 0)
    throw badRequest(
      'parts',
      `is ${parts}, so the last part has the index ${parts - 1}, but there are also ${named(beyond)}`,
    )
}

/** The indexes from 0 to `parts` - 1 that are in none of the ranges. */
function missingBelow(parts: number, received: readonly IndexRange[]): IndexRange[] {
  const missing: IndexRange[] = []
  let next = 0
  for (const { first, last } of [...received, { first: parts, last: parts }]) {
    const end = Math.min(first, parts) - 1
    if (next <= end) missing.push({ first: next, last: end })
    next = last + 1
  }
  return missing
}

const countOf = (ranges: readonly IndexRange[]) => ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Such as `3, 7 to 9`. */
function named(ranges: readonly IndexRange[]): string {
  const texts = ranges
    .slice(0, rangesMax)
    .map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`))
  return texts.join(', ') + (ranges.length > rangesMax ? ' and more' : '')
}
