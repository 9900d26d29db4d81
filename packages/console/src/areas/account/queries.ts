import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

/** The API keys of the account: the contract calls them tokens. */
export const keysQuery = queryOptions({ queryKey: ['keys', 'list'], queryFn: () => client.keys.list() })

/** The browser sessions of the account. */
export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessionList'],
  queryFn: () => client.account.sessionList(),
})
