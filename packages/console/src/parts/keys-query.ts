import { queryOptions } from '@tanstack/react-query'
import { client } from './api/client.js'

/** The API keys of the account: the contract calls them tokens. */
export const keysQuery = queryOptions({ queryKey: ['keys', 'list'], queryFn: () => client.keys.list() })
