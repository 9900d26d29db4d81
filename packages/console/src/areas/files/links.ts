import { areas, consoleAreas, consolePath } from '@svc/contract'
import { serverPath } from '../../parts/api/base.js'

export const linkCopied = 'The link is copied.'

const withId = (path: string, id: number): string =>
  `${serverPath}${path}?${new URLSearchParams({ id: String(id) }).toString()}`

/** The address under which the browser saves a file. The session's cookie is sent with it. */
export const downloadUrl = (id: number): string => withId(consolePath(areas.files.download.path), id)

/** The address of a PDF file in a frame. */
export const previewUrl = (id: number): string => withId(consoleAreas.files.preview.path, id)
