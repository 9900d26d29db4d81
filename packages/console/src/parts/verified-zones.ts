import { queryOptions } from '@tanstack/react-query'
import { client } from './api/client.js'

/** The zones in which a site can have a domain, and for which there can be a certificate. */
export const verifiedZonesQuery = queryOptions({
  queryKey: ['dns', 'zoneList', 'verified'],
  queryFn: () => client.dns.zoneList({ status: 'verified' }),
})
