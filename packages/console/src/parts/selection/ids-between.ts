/**
 * The ids from one to another, both included, in the order of a list.
 * @param from undefined, or not in the list: then the range is `to` alone
 */
export function idsBetween(ids: readonly number[], from: number | undefined, to: number): readonly number[] {
  const start = from === undefined ? -1 : ids.indexOf(from)
  const end = ids.indexOf(to)
  if (start === -1 || end === -1) return [to]
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1)
}
