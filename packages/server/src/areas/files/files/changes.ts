import type { StoredFile } from './file.js'

/** Changes of a file. Only supplied fields change. */
export interface FileChanges {
  readonly name?: string
  readonly mediaType?: string
  /** A key to share the file under, unless it is shared already; null to unshare it. */
  readonly shareKey?: string | null
}

/**
 * The file after a change; the same object if nothing changes.
 * @param now milliseconds since the epoch
 */
export function changedFile(file: StoredFile, changes: FileChanges, now: number): StoredFile {
  const { name = file.name, mediaType = file.mediaType } = changes
  const shareKey = changedKey(file, changes.shareKey)
  const isRelabelled = name !== file.name || mediaType !== file.mediaType
  if (!isRelabelled && shareKey === file.shareKey) return file
  // The first share makes the version 1. A file that was never shared has no copies that could be out of date.
  const isKnownToEdge = file.edgeVersion > 0 || shareKey !== null
  return {
    ...{ ...file, name, mediaType, shareKey, updatedAt: now },
    edgeVersion: isKnownToEdge ? file.edgeVersion + 1 : 0,
    // A new link works, also if the edge stopped serving an earlier one.
    isServed: file.isServed || (file.shareKey === null && shareKey !== null),
  }
}

/** A file that is shared keeps its key until it is unshared. */
function changedKey({ shareKey }: StoredFile, wanted: string | null | undefined): string | null {
  if (wanted === undefined) return shareKey
  return wanted === null ? null : (shareKey ?? wanted)
}
