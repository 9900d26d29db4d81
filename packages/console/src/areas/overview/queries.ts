import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

/** Short reads of two areas whose lists are long. Their keys begin like those of the areas, so that a change there reads them again. */

/** Only the number of deployments. */
export const deploymentsQuery = queryOptions({
  queryKey: ['deployments', 'list', 'overview'],
  queryFn: () => client.deployments.list({ limit: 1 }),
})

const messagesShown = 4

/** The newest text messages, and the number of all. */
export const messagesQuery = queryOptions({
  queryKey: ['sms', 'messageList', 'overview'],
  queryFn: () => client.sms.messageList({ limit: messagesShown }),
})
