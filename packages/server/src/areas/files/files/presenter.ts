import { hash } from 'node:crypto'
import { Download, type DownloadContent, type DownloadDescription } from '../../../http/answer.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { StoredFile } from './file.js'

/** The share link of a file. The name is for people: the key alone identifies the file. */
export const shareUrl = (contentUrl: string, key: string, name: string): string =>
  `${contentUrl}/s/${key}/${encodeURIComponent(name)}`

/** What the API shows of a file. */
export type ListedFile = Pick<
  StoredFile,
  'id' | 'name' | 'size' | 'mediaType' | 'sha256' | 'shareKey' | 'createdAt' | 'updatedAt'
>

/** A file in the API's answers. @param contentUrl the origin of share links */
export const fileToJson = (contentUrl: string, file: ListedFile) => ({
  id: file.id,
  name: file.name,
  size: file.size,
  media_type: file.mediaType,
  sha256: file.sha256,
  shared: file.shareKey !== null,
  share_url: file.shareKey === null ? null : shareUrl(contentUrl, file.shareKey, file.name),
  created_at: timestamp(file.createdAt),
  updated_at: timestamp(file.updatedAt),
})

/** The answer with the bytes of a file. */
export const downloadOf = (
  file: StoredFile,
  rest: Pick<DownloadContent, 'disposition' | 'open' | 'headers' | 'onSent' | 'framedAs'> &
    Partial<Pick<DownloadContent, 'mediaType'>>,
): Download => new Download({ ...describeFile(file), ...rest })

/** What the headers say of a file, except for what the route decides. */
export const describeFile = (file: StoredFile): Omit<DownloadDescription, 'disposition' | 'headers'> => {
  const { size, updatedAt, mediaType, name } = file
  return { size, etag: etagOf(file), lastModified: updatedAt, mediaType, name }
}

/**
 * A strong entity tag of the bytes, the media type and the name. With the bytes alone, a browser that asks before each use would get
 * 304 after a rename, and keep the old name and type.
 */
export function etagOf({ sha256, mediaType, name }: Pick<StoredFile, 'sha256' | 'mediaType' | 'name'>): string {
  const details = hash('sha256', `${mediaType}\0${name}`, 'base64url').slice(0, 11)
  return `"${sha256}-${details}"`
}
