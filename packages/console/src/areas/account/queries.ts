import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

/** The browser sessions of the account. */
export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessionList'],
  queryFn: () => client.account.sessionList(),
})
