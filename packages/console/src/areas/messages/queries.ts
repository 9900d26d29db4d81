import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { withNewest, type Loaded, type MessagePage } from './loaded-messages.js'

/** Fewer than the server's default: the first page is on the screen sooner. */
const pageSize = 100

const refreshMs = 5_000

/** The messages of the account, newest first. `newestQuery` keeps them current, so they are not read again when they are stale. */
export const messagesQuery = infiniteQueryOptions({
  queryKey: ['sms', 'messageList'],
  queryFn: ({ pageParam }) => client.sms.messageList({ limit: pageSize, before: pageParam }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({ next }: MessagePage) => next ?? undefined,
  staleTime: Infinity,
})

/** The newest page, read again every few seconds while the browser shows the page. New messages are added to the loaded ones. */
export const newestQuery = queryOptions({
  queryKey: ['sms', 'newest'],
  queryFn: async () => {
    const newest = await client.sms.messageList({ limit: pageSize })
    queryClient.setQueryData<Loaded>(messagesQuery.queryKey, (loaded) => loaded && withNewest(loaded, newest))
    return newest
  },
  refetchInterval: refreshMs,
})

/** One message, also if it is not among the loaded ones; null if it does not exist. */
export const messageQuery = (id: number) =>
  queryOptions({
    queryKey: ['sms', 'message', id],
    queryFn: async () => {
      const { messages } = await client.sms.messageList({ limit: 1, before: id + 1 })
      return messages.find((message) => message.id === id) ?? null
    },
  })

/** The forwarder keys of the account. */
export const forwarderKeysQuery = queryOptions({ queryKey: ['sms', 'keyList'], queryFn: () => client.sms.keyList() })

export type ForwarderKey = Awaited<ReturnType<typeof client.sms.keyList>>['keys'][number]
