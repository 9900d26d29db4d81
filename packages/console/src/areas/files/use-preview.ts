import { useQuery } from '@tanstack/react-query'
import { pathIdIn } from '../../parts/path-id.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { fileQuery, type File } from './queries.js'

/** The file of the address (`?preview=12`), which a dialog shows. @param files those that are loaded */
export function usePreview(files: readonly File[]) {
  const { item, open, close } = useItemInUrl('preview')
  const id = pathIdIn(item)
  const listed = files.find((file) => file.id === id)
  const query = useQuery({ ...fileQuery(id ?? 0), enabled: id !== undefined && listed === undefined })
  return { file: id === undefined ? undefined : (listed ?? query.data), open, close }
}
