import { queryOptions } from '@tanstack/react-query'
import { client } from '../../../parts/api/client.js'

export type Secondary = Awaited<ReturnType<typeof client.dns.secondaryList>>['secondaries'][number]

/** The secondaries of the account, read again while the page is open: no event tells of their answers. */
export const secondariesQuery = queryOptions({
  queryKey: ['dns', 'secondaryList'],
  queryFn: () => client.dns.secondaryList(),
  refetchInterval: ({ state: { data } }) => (data === undefined || data.total === 0 ? false : 5_000),
})

/** The address, with a port that is not the usual one. */
export const nameOf = ({ address, port }: Pick<Secondary, 'address' | 'port'>): string =>
  port === 53 ? address : `${address} port ${String(port)}`
