import { queryOptions } from '@tanstack/react-query'
import { client } from '../../app/client.js'

/** The last entries and the counts of the other areas. Their keys begin like those of the areas, so that a change there reads them again. */

/** A zone claim. */
export type Zone = Awaited<ReturnType<typeof client.dns.zoneList>>['zones'][number]

export const zonesQuery = queryOptions({
  queryKey: ['dns', 'zoneList', 'overview'],
  queryFn: () => client.dns.zoneList(),
})

export const sitesQuery = queryOptions({
  queryKey: ['sites', 'list', 'overview'],
  queryFn: () => client.sites.list(),
})

/** The number of files, and the storage that they use. */
export const usageQuery = queryOptions({
  queryKey: ['files', 'usage', 'overview'],
  queryFn: () => client.files.usage(),
})

/** Only the number of deployments. */
export const deploymentsQuery = queryOptions({
  queryKey: ['deployments', 'list', 'overview'],
  queryFn: () => client.deployments.list({ limit: 1 }),
})

const messagesShown = 4

export const messagesQuery = queryOptions({
  queryKey: ['sms', 'messageList', 'overview'],
  queryFn: () => client.sms.messageList({ limit: messagesShown }),
})
