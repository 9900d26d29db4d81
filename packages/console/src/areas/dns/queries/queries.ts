import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../../parts/api/client.js'

type ZoneQueries = Awaited<ReturnType<typeof client.dns.zoneQueries>>
export type Counts = ZoneQueries['days'][number]['counts']

/** How often the server saves its counts. */
const savedEveryMs = 60_000

/** What the nameserver has answered for a zone. */
export const zoneQueriesQuery = (zone: string, days: number) =>
  queryOptions({
    queryKey: ['dns', 'zoneQueries', zone, days],
    queryFn: () => client.dns.zoneQueries({ zone, days }),
    placeholderData: keepPreviousData,
    refetchInterval: savedEveryMs,
  })
