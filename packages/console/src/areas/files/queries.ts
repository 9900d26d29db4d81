import { infiniteQueryOptions, keepPreviousData, queryOptions, type InfiniteData } from '@tanstack/react-query'
import { areas } from '@svc/contract'
import { changeAnswer } from '../../parts/api/change-answer.js'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { fieldOf } from '../../parts/schema.js'
import { fits, type FileConditions } from './file-filter.js'

export type FilePage = Awaited<ReturnType<typeof client.files.list>>

/** A file of the account. */
export type File = FilePage['files'][number]

/** How the edge serves a shared file. */
export type EdgeFile = Awaited<ReturnType<typeof client.cdn.stats>>['files'][number]

const pageSize = fieldOf(areas.files.list, 'limit').maximum

/** Begins the keys of all lists. */
export const listKey = ['files', 'list'] as const

/** The files of the account that fit the conditions, newest first. */
export const filesQuery = (conditions: FileConditions) =>
  infiniteQueryOptions({
    queryKey: [...listKey, conditions],
    queryFn: ({ pageParam }) => client.files.list({ ...conditions, before: pageParam, limit: pageSize }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // Pages that are loaded follow the changes below; reading a hundred of them again takes long.
    staleTime: 60_000,
    // The found files stay until those of the next letter are there.
    placeholderData: keepPreviousData,
  })

export const fileQuery = (id: number) =>
  queryOptions({ queryKey: ['files', 'get', id], queryFn: () => client.files.get({ id: String(id) }) })

/** Used storage and its limits. */
export const usageQuery = queryOptions({ queryKey: ['files', 'usage'], queryFn: () => client.files.usage() })

/** An upload that is not finished. */
export type OpenUpload = Awaited<ReturnType<typeof client.files.uploadList>>['uploads'][number]

/** The newest unfinished uploads. */
export const openUploadsQuery = queryOptions({
  queryKey: ['files', 'uploads'],
  queryFn: () => client.files.uploadList({ limit: 100 }),
})

/** Removes the parts of an unfinished upload. */
export async function discardUpload(id: number): Promise<void> {
  await client.files.uploadDiscard({ upload_id: id })
  await Promise.all([queryClient.invalidateQueries(openUploadsQuery), queryClient.invalidateQueries(usageQuery)])
}

/** Edge settings and counts of one file; null if it is not shared. */
export const edgeFileQuery = (id: number) =>
  queryOptions({
    queryKey: ['cdn', 'stats', id],
    queryFn: async () => {
      const { files } = await client.cdn.stats({ before: id + 1, limit: 1 })
      return files.find((file) => file.id === id) ?? null
    },
  })

/** Settings and counts of all shared files, newest first. */
export const edgeFilesQuery = infiniteQueryOptions({
  queryKey: ['cdn', 'stats'],
  queryFn: ({ pageParam }) => client.cdn.stats({ before: pageParam, limit: pageSize }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next }) => next ?? undefined,
})

/** Requests for the shared files by day. @param id of one file; of all files if undefined */
export const trafficQuery = (days: number, id?: number) =>
  queryOptions({
    queryKey: ['cdn', 'traffic', id ?? 'all', days],
    queryFn: () => client.files.traffic({ days, ...(id !== undefined && { id }) }),
    select: (answer) =>
      answer.days.map(({ day, requests, hits, misses }) => ({
        day,
        hits,
        misses,
        others: Math.max(0, requests - hits - misses),
      })),
    placeholderData: keepPreviousData,
  })

type Listed = InfiniteData<FilePage, number | undefined>

/** Changes every list that is in memory: that of all files, and those of searches. */
function changeLists(change: (pages: readonly FilePage[], conditions: FileConditions) => FilePage[]): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: listKey })) {
    const conditions = queryKey[listKey.length] as FileConditions
    changeAnswer<Listed>(queryKey, (old) => ({ ...old, pages: change(old.pages, conditions) }))
  }
}

const refreshSums = (): void => {
  void queryClient.invalidateQueries(usageQuery)
  void queryClient.invalidateQueries({ queryKey: ['cdn', 'stats'] })
}

/** New files are put into the list at most this often, in milliseconds: each time costs two reads, and the list is rendered. */
const addMs = 1000

/** New files that the list does not show yet, by id. */
const added = new Map<number, File>()
let isAddedLately = false

/** Puts a new file at the top of the list: at once, or together with others that follow it within a second. */
export function addListed(file: File): void {
  added.set(file.id, file)
  if (!isAddedLately) showAdded()
}

function showAdded(): void {
  isAddedLately = true
  setTimeout(() => {
    isAddedLately = false
    if (added.size > 0) showAdded()
  }, addMs)
  const files = [...added.values()].reverse()
  added.clear()
  changeLists((pages, conditions) => {
    const listed = new Set(pages.flatMap((page) => page.files.map(({ id }) => id)))
    const missing = files.filter((file) => !listed.has(file.id) && fits(file, conditions))
    return pages.map((page, index) => ({
      ...page,
      files: index === 0 ? [...missing, ...page.files] : page.files,
      total: page.total + missing.length,
    }))
  })
  refreshSums()
}

/** Shows the changed file in the list and on its page. */
export function changeListed(file: File): void {
  if (added.has(file.id)) added.set(file.id, file)
  changeLists((pages) =>
    pages.map((page) => ({ ...page, files: page.files.map((listed) => (listed.id === file.id ? file : listed)) })),
  )
  queryClient.setQueryData(fileQuery(file.id).queryKey, file)
  refreshSums()
}

/** Pages of a list without some of the files. */
export function withoutFiles(pages: readonly FilePage[], ids: ReadonlySet<number>): FilePage[] {
  const removed = pages.flatMap(({ files }) => files).filter(({ id }) => ids.has(id)).length
  const kept = (files: readonly File[]) => files.filter(({ id }) => !ids.has(id))
  return pages.map((page) => ({ ...page, files: kept(page.files), total: page.total - removed }))
}

/** Removes deleted files from the lists. */
export function removeListed(ids: ReadonlySet<number>): void {
  for (const id of ids) {
    added.delete(id)
    queryClient.removeQueries({ queryKey: fileQuery(id).queryKey })
  }
  changeLists((pages) => withoutFiles(pages, ids))
  refreshSums()
}
