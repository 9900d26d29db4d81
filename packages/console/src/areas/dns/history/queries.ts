import type { RecordType } from '@svc/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../../parts/api/client.js'
import { historyKey } from '../queries.js'

export type ChangePage = Awaited<ReturnType<typeof client.dns.historyList>>
export type PastZone = Awaited<ReturnType<typeof client.dns.historyGet>>
export type Change = ChangePage['changes'][number]

/** Which changes are listed. */
export interface HistoryFilter {
  /** Undefined for all hosts. */
  readonly host: string | undefined
  readonly type: RecordType | undefined
}

/** Fewer than the server's default: the first page is on the screen sooner, and a change may have thousands of values. */
const pageSize = 50

/** The changes of a zone, newest first, in pages. */
export const historyQuery = (zone: string, filter: HistoryFilter) =>
  infiniteQueryOptions({
    queryKey: [...historyKey(zone), filter],
    queryFn: ({ pageParam }) =>
      client.dns.historyList({ zone, ...filter, limit: pageSize, ...(pageParam !== null && { before: pageParam }) }),
    // The type is that of the later pages too.
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })

/** A zone as it was at a serial. @param serial as it stands in the address */
export const pastQuery = (zone: string, serial: string) =>
  queryOptions({
    queryKey: [...historyKey(zone), 'at', serial],
    queryFn: () => client.dns.historyGet({ zone, serial }),
  })

/** The last change that a zone had at a serial; null if it is not kept. @param serial undefined for none */
export const changeAtQuery = (zone: string, serial: number | undefined) =>
  queryOptions({
    queryKey: [...historyKey(zone), 'change', serial],
    queryFn: async () => {
      const { changes } = await client.dns.historyList({ zone, limit: 1, before: Number(serial) + 1 })
      return changes[0] ?? null
    },
    enabled: serial !== undefined,
  })
