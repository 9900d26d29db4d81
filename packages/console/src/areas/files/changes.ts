import { SvcError } from '@svc/client'
import { client, keepaliveClient } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { removeRows } from '../../parts/removal/removal.js'
import { changeListed, listKey, removeListed, type File } from './queries.js'

/** Changes of files, which the list and the pages show at once. */

/** Shares a file, or ends its link. Shown at once, and taken back if the server refuses. */
export async function setShared(file: File, shared: boolean): Promise<File> {
  changeListed({ ...file, shared, share_url: null })
  try {
    const changed = await client.files.update({ id: file.id, shared })
    changeListed(changed)
    return changed
  } catch (error) {
    changeListed(file)
    throw error
  }
}

export async function rename(id: number, name: string): Promise<File> {
  const changed = await client.files.rename({ id, name })
  changeListed(changed)
  return changed
}

export async function setMediaType(id: number, mediaType: string): Promise<File> {
  const changed = await client.files.update({ id, media_type: mediaType })
  changeListed(changed)
  return changed
}

export async function remove(id: number): Promise<void> {
  await client.files.delete({ id })
  removeListed(new Set([id]))
}

/** The list of files among those that hide deleted rows. */
export const fileList = 'files'

/** How many files one request deletes: each may have thousands of stored objects. */
export const filesAtOnce = 1

/** Deletes files, with an offer to undo it. */
export const deleteFiles = (files: readonly File[]): Promise<void> =>
  removeRows({
    list: fileList,
    noun: 'file',
    ids: files.map(({ id }) => id),
    partSize: filesAtOnce,
    send: ([id = 0]) => keepaliveClient.files.delete({ id }).catch(ignoreMissing),
    drop: removeListed,
    reload: () => void queryClient.invalidateQueries({ queryKey: listKey }),
  })

/** Another tab may have deleted the file. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof SvcError) || error.code !== 'not_found') throw error
}
