import { SvcError } from '@svc/client'
import { queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.js'
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
