import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { domainsQuery, type Domain } from '../../parts/registration/queries.js'

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
