import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export type Webhook = Awaited<ReturnType<typeof client.account.webhookList>>['webhooks'][number]
export type Delivery = Awaited<ReturnType<typeof client.account.webhookDeliveries>>['deliveries'][number]

/** The webhooks that get the events of the account, read again while events wait: no event tells of their delivery. */
export const webhooksQuery = queryOptions({
  queryKey: ['account', 'webhookList'],
  queryFn: () => client.account.webhookList(),
  refetchInterval: ({ state: { data } }) => (data?.webhooks.some(isSending) === true ? 5_000 : false),
})

const isSending = ({ waiting, enabled }: Webhook): boolean => enabled && waiting > 0

/** The last deliveries of a webhook, read again while one waits for its first attempt. */
export const deliveriesQuery = (id: number) =>
  queryOptions({
    queryKey: ['account', 'webhookDeliveries', id],
    queryFn: () => client.account.webhookDeliveries({ id }),
    refetchInterval: ({ state: { data } }) => (data?.deliveries.some(isDue) === true ? 2_000 : false),
  })

const isDue = ({ state, next_attempt_at: next }: Delivery): boolean => state === 'waiting' && next !== null

/** The host of a webhook, which names it. */
export const hostOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host
