import { Download, type DownloadContent } from '../../../http/answer.js'
import type { StoredFile } from './file.js'

/** The answer with the bytes of a file. Its entity tag is the SHA-256, so it is equal for equal bytes. */
export const downloadOf = (
  { size, sha256, updatedAt, mediaType, name }: StoredFile,
  rest: Pick<DownloadContent, 'disposition' | 'open' | 'headers' | 'onSent'>,
): Download => new Download({ size, etag: `"${sha256}"`, lastModified: updatedAt, mediaType, name, ...rest })
