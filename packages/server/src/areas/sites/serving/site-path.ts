/** The longest path of a file in an archive, with every byte percent-encoded, and a slash. */
export const pathMax = 3 * 1024 + 1

/** The path of a request target as it was sent, without the query. */
export function rawPathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/** The query of a request target with its question mark; empty without one. */
export const queryOf = (target: string): string => target.slice(rawPathOf(target).length)

/**
 * Decodes the path of a request once. The result begins with a slash, is in NFC, and has neither empty segments (except after a slash
 * at its end), nor `.` and `..`, nor characters that no file of a site has.
 * @param raw as it was sent, also in absolute form (RFC 9112, section 3.2.2)
 * @returns undefined for a path that no file of a site can have
 */
export function decodePath(raw: string): string | undefined {
  const path = raw.startsWith('/') ? raw : raw.replace(/^https?:\/\/[^/]*/i, '') || '/'
  if (path.length > pathMax || /%(?:2f|5c)/i.test(path)) return undefined
  const decoded = decodeOnce(path)?.normalize('NFC')
  if (decoded?.startsWith('/') !== true || /[\0-\x1f\x7f\\]/.test(decoded)) return undefined
  const segments = decoded.slice(1).split('/')
  const isUnsafe = segments.some(
    (segment, index) => segment === '.' || segment === '..' || (segment === '' && index < segments.length - 1),
  )
  return isUnsafe ? undefined : decoded
}

function decodeOnce(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
