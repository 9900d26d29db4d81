import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

/** The credentials of the account, with their secrets: they leave the memory of the browser when their page is closed. */
export const credentialsQuery = queryOptions({
  queryKey: ['cred', 'list'],
  queryFn: () => client.cred.list(),
  gcTime: 0,
})

export type Credential = Awaited<ReturnType<typeof client.cred.list>>['credentials'][number]
