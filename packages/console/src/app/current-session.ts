import { queryOptions } from '@tanstack/react-query'
import { client } from './client.js'

/** The signed-in account and its session. */
export const currentSession = queryOptions({
  queryKey: ['session', 'whoAmI'],
  queryFn: () => client.session.whoAmI(),
  staleTime: 60_000,
})
