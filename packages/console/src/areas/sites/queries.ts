import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'

/** The sites of the account. */
export const sitesQuery = queryOptions({ queryKey: ['sites', 'list'], queryFn: () => client.sites.list() })

/** The kept versions of a site. */
export const versionsQuery = (name: string) =>
  queryOptions({ queryKey: ['sites', 'versions', name], queryFn: () => client.sites.versions({ name }) })

/** The domains of all sites of the account. */
export const domainsQuery = queryOptions({ queryKey: ['sites', 'domains'], queryFn: () => client.sites.domains() })

export type Site = Awaited<ReturnType<typeof client.sites.list>>['sites'][number]
export type Deployed = Awaited<ReturnType<typeof client.sites.deploy>>
export type Version = Awaited<ReturnType<typeof client.sites.versions>>['versions'][number]
export type Domain = Awaited<ReturnType<typeof client.sites.domains>>['domains'][number]

/** Reads everything about sites again, after a write. */
export const refreshSites = () => queryClient.invalidateQueries({ queryKey: ['sites'] })
