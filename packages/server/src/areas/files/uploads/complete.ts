import { badRequest } from '@svc/contract/errors'

/** How many ranges of indexes a message names. */
const rangesMax = 20

/**
 * Checks that an upload has exactly the parts from 0 to `parts` - 1.
 * @param received the indexes of its parts, in order
 * @throws ApiError `bad_request` that names the missing parts, or those beyond the last
 */
export function requireComplete(received: readonly number[], parts: number): void {
  const known = new Set(received)
  const missing = Array.from({ length: parts }, (_, index) => index).filter((index) => !known.has(index))
  if (missing.length > 0)
    throw badRequest('parts', `is ${parts}, but ${missing.length} of these parts are missing: ${named(missing)}`)
  const beyond = received.filter((index) => index >= parts)
  if (beyond.length > 0)
    throw badRequest(
      'parts',
      `is ${parts}, so the last part has the index ${parts - 1}, but there are also ${named(beyond)}`,
    )
}

/** The indexes as ranges, such as `3, 7 to 9`. */
function named(indexes: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = []
  for (const index of indexes) {
    const range = ranges.at(-1)
    if (range?.last === index - 1) range.last = index
    else ranges.push({ first: index, last: index })
  }
  const texts = ranges.map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`))
  return texts.slice(0, rangesMax).join(', ') + (texts.length > rangesMax ? ' and more' : '')
}
