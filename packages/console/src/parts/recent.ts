/** What was opened with the command palette lately, in the storage of the browser: apart for each account. */

export interface Recent {
  readonly label: string
  readonly detail: string
  /** Path below /console. */
  readonly path: string
}

const recentMax = 6
/** Of a label, a detail or a path, in characters. */
const textMax = 300

const prefix = 'svc-recent:'

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= textMax

function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false
  const { label, detail, path } = value as Partial<Record<keyof Recent, unknown>>
  // A path that begins with a slash could be another server's address.
  return isText(label) && label !== '' && isText(detail) && isText(path) && !/^[/\\]|:\/\//.test(path)
}

/** @param text as it was stored; it may be of another version, or broken */
function parseRecent(text: string | null): readonly Recent[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter(isRecent).slice(0, recentMax) : []
  } catch {
    // Not JSON: as if nothing was stored.
    return []
  }
}

/** The newest first. @param account its email */
export const readRecent = (account: string): readonly Recent[] => parseRecent(localStorage.getItem(prefix + account))

export function addRecent(account: string, { label, detail, path }: Recent): void {
  const opened = { label, detail, path }
  if (!isRecent(opened)) return
  const others = readRecent(account).filter((each) => each.path !== path || each.label !== label)
  try {
    localStorage.setItem(prefix + account, JSON.stringify([opened, ...others].slice(0, recentMax)))
  } catch {
    // The storage is full or not allowed: the palette has no entries from before.
  }
}

/** Forgets what all accounts have opened in this browser. */
export function forgetRecent(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key)
}
