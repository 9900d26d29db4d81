import { timestamp } from '../../../shared/timestamp.js'
import type { StoredFile } from './file.js'

/** The share link of a file. The name is for people: the key alone identifies the file. */
export const shareUrl = (contentUrl: string, key: string, name: string): string =>
  `${contentUrl}/s/${key}/${encodeURIComponent(name)}`

/** A file in the API's answers. @param contentUrl the origin of share links */
export const fileToJson = (contentUrl: string, file: StoredFile) => ({
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
