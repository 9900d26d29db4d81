import { isHidden } from '../archive/hidden.js'

/** The longest path of a file in an archive, with every byte percent-encoded, and a slash. */
export const pathMax = 3 * 1024 + 1

/** The path of a request target as it was sent, without the query. */
export function rawPathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}

/** The query of a request target with its question mark; empty without one. */
export const queryOf = (target: string): string => target.slice(rawPathOf(target).length)

/** The path of a request. */
export interface RequestPath {
  /** Decoded once and in NFC, with a slash at its start. Encoded slashes and backslashes stay encoded. */
  readonly path: string
  /** Whether a file of a site can have this path. Rules and pages for missing files apply to every path. */
  readonly canBeFile: boolean
  /** Whether only the start of a path that is too long for a file was read: normalizing takes more than linear time. */
  readonly isCut: boolean
}

/** Reads the path of a request. @param raw as it was sent, also in absolute form (RFC 9112, section 3.2.2) */
export function readPath(raw: string): RequestPath {
  const sent = raw.startsWith('/') ? raw : raw.replace(/^https?:\/\/[^/]*/i, '') || '/'
  if (sent.length > pathMax) return { path: sent.slice(0, pathMax), canBeFile: false, isCut: true }
  const decoded = decodeOnce(sent)?.normalize('NFC')
  const path = decoded ?? sent
  const canBeFile = decoded !== undefined && !/%(?:2f|5c)/i.test(sent) && isFilePath(decoded)
  return { path: path.startsWith('/') ? path : `/${path}`, canBeFile, isCut: false }
}

function decodeOnce(path: string): string | undefined {
  try {
    return decodeURIComponent(path.replace(/%(?=2f|5c)/gi, '%25'))
  } catch {
    return undefined
  }
}

/** Whether a decoded path has only characters and segments that files of a site have. */
function isFilePath(path: string): boolean {
  if (!path.startsWith('/') || /[\0-\x1f\x7f\\]/.test(path)) return false
  const segments = path.slice(1).split('/')
  const isUnsafe = segments.some(
    (segment, index) => segment === '.' || segment === '..' || (segment === '' && index < segments.length - 1),
  )
  return !isUnsafe && !isHidden(path)
}
