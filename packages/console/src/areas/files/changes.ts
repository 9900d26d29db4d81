import { client } from '../../parts/api/client.js'
import { changeListed, removeListed, type File } from './queries.js'

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
  removeListed(id)
}
