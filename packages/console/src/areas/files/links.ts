import { areas, consolePath } from '@svc/contract'
import { serverPath } from '../../app/base.js'

export const linkCopied = 'The link is copied.'

/** @throws Error if the browser has no clipboard for this page: it needs https, or localhost */
export async function copyLink(link: string): Promise<void> {
  if (!('clipboard' in navigator))
    throw new Error('Without https, a browser cannot copy: the link is on the page of the file.')
  await navigator.clipboard.writeText(link)
}

/** The address under which the browser saves a file. The session's cookie is sent with it. */
export const downloadUrl = (id: number): string =>
  `${serverPath}${consolePath(areas.files.download.path)}?${new URLSearchParams({ id: String(id) }).toString()}`
