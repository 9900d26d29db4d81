/** A hidden file or folder, such as `.env` and `.git`. `.well-known` is part of sites (RFC 8615). */
const hiddenSegment = /(?:^|\/)\.(?!well-known(?:\/|$))[^/]*/i

/** Whether a file is hidden, or is in a hidden folder. Sites do not serve them: most of them were published by mistake. */
export const isHidden = (path: string): boolean => hiddenSegment.test(path)

/**
 * The part of an entry's path that is left out of a site: the file, or the topmost folder that no site serves.
 * @returns undefined for an entry that is served
 */
export function skippedPart(path: string): string | undefined {
  if (path.startsWith('__MACOSX/')) return '__MACOSX/'
  const found = hiddenSegment.exec(path)
  if (!found) return undefined
  const end = found.index + found[0].length
  return path.slice(0, path[end] === '/' ? end + 1 : end)
}
