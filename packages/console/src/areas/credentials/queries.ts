import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

/** The credentials of the account, with their secrets: they leave the memory of the browser when their page is closed. */
export const credentialsQuery = queryOptions({
  queryKey: ['cred', 'list'],
  queryFn: () => client.cred.list(),
  gcTime: 0,
  // It may ask for the password, which only an act of the user should do.
  refetchOnWindowFocus: false,
})

export type Credential = Awaited<ReturnType<typeof client.cred.list>>['credentials'][number]
