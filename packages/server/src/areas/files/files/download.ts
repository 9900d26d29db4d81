import { createHash } from 'node:crypto'
import { Download, type DownloadContent } from '../../../http/answer.js'
import type { StoredFile } from './file.js'

/** The answer with the bytes of a file. */
export const downloadOf = (
  file: StoredFile,
  rest: Pick<DownloadContent, 'disposition' | 'open' | 'headers' | 'onSent'>,
): Download => {
  const { size, updatedAt, mediaType, name } = file
  return new Download({ size, etag: etagOf(file), lastModified: updatedAt, mediaType, name, ...rest })
}

/**
 * A strong entity tag of the bytes, the media type and the name. With the bytes alone, a browser that asks before each use would get
 * 304 after a rename, and keep the old name and type.
 */
export function etagOf({ sha256, mediaType, name }: Pick<StoredFile, 'sha256' | 'mediaType' | 'name'>): string {
  const details = createHash('sha256').update(`${mediaType}\0${name}`).digest('base64url').slice(0, 11)
  return `"${sha256}-${details}"`
}
