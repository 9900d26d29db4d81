import { SvcError } from '@svc/client'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../api/client.js'
import { remember } from './history.js'

/** Registration data of a domain. */
export type Registration = Awaited<ReturnType<typeof client.whois.lookup>>

/** Looks up a domain, and adds the outcome to the recent lookups. */
export const registrationQuery = (domain: string) =>
  queryOptions({
    queryKey: ['whois', 'lookup', domain],
    queryFn: async () => {
      try {
        const registration = await client.whois.lookup({ domain })
        remember({ domain: registration.domain, outcome: 'registered' })
        return registration
      } catch (error) {
        if (error instanceof SvcError && error.code === 'not_found') remember({ domain, outcome: 'free' })
        throw error
      }
    },
    enabled: domain !== '',
    // The server keeps the answer for a day; a registry is not asked because a window got the focus.
    staleTime: 600_000,
    refetchOnWindowFocus: false,
    retry: false,
  })

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
