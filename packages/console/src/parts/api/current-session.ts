import { queryOptions } from '@tanstack/react-query'
import { client } from './client.js'

/** The signed-in account and its session. */
export const currentSession = queryOptions({
  queryKey: ['session', 'whoAmI'],
  queryFn: () => client.session.whoAmI(),
  staleTime: 60_000,
  // Another account may have signed in meanwhile in another tab, which has the same cookie.
  refetchOnWindowFocus: 'always',
})
