import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export const timeQuery = queryOptions({
  queryKey: ['public', 'time'],
  queryFn: async () => ({ ...(await client.public.time()), receivedAt: Date.now() }),
})

export const timestampQuery = queryOptions({
  queryKey: ['public', 'timestamp'],
  queryFn: () => client.public.timestamp(),
})

export const addressQuery = queryOptions({ queryKey: ['public', 'ip'], queryFn: () => client.public.ip() })

export const countryQuery = queryOptions({ queryKey: ['public', 'geo'], queryFn: () => client.public.geo() })

/** All rates of a base currency; of the server's default if it is empty. */
export const ratesQuery = (base: string) =>
  queryOptions({
    queryKey: ['public', 'fx', base],
    queryFn: () => client.public.fx(base === '' ? {} : { base }),
    // The server reads new rates every hour.
    staleTime: 600_000,
  })
