import { queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.js'
import { queryClient } from '../../app/query-client.js'

/** A domain of the portfolio. */
export type Domain = Awaited<ReturnType<typeof client.domains.list>>['domains'][number]

/** The data of new domains follows within seconds. A registry that never answers is not waited for at this pace. */
const fastMs = 3_000
const slowMs = 60_000
const fastReads = 20

/** The portfolio, soonest expiry first. It is read again while the registry's data of a domain is on its way. */
export const domainsQuery = queryOptions({
  queryKey: ['domains', 'list'],
  queryFn: () => client.domains.list(),
  refetchInterval: ({ state }) => {
    if (!state.data?.domains.some(({ synced_at }) => synced_at === null)) return false
    return state.dataUpdateCount < fastReads ? fastMs : slowMs
  },
})

/** Whether the calendar of expiry dates has an address. */
export const calendarQuery = queryOptions({
  queryKey: ['domains', 'calendarGet'],
  queryFn: () => client.domains.calendarGet(),
})

/** The names of the account's zones, to link a domain to its zone. */
export const zoneNamesQuery = queryOptions({
  queryKey: ['dns', 'zoneList', 'names'],
  queryFn: async () => (await client.dns.zoneList()).zones.map(({ zone }) => zone),
  staleTime: 30_000,
})

/** Shows a changed domain at once; its place in the list follows with the next read. */
export async function showChanged(changed: Domain): Promise<void> {
  queryClient.setQueryData(
    domainsQuery.queryKey,
    (now) => now && { domains: now.domains.map((domain) => (domain.id === changed.id ? changed : domain)) },
  )
  await queryClient.invalidateQueries({ queryKey: domainsQuery.queryKey })
}
