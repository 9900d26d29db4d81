import { areas, consolePath } from '@svc/contract'
import { serverPath } from '../../parts/api/base.js'

export const linkCopied = 'The link is copied.'

/** The address under which the browser saves a file. The session's cookie is sent with it. */
export const downloadUrl = (id: number): string =>
  `${serverPath}${consolePath(areas.files.download.path)}?${new URLSearchParams({ id: String(id) }).toString()}`
