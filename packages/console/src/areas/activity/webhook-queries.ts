import { queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export type Webhook = Awaited<ReturnType<typeof client.account.webhookList>>['webhooks'][number]
export type Delivery = Awaited<ReturnType<typeof client.account.webhookDeliveries>>['deliveries'][number]

/** The webhooks that get the events of the account, read again while one is on: no event tells that something waits for it. */
export const webhooksQuery = queryOptions({
  queryKey: ['account', 'webhookList'],
  queryFn: () => client.account.webhookList(),
  refetchInterval: ({ state: { data } }) => (data?.webhooks.some(({ enabled }) => enabled) === true ? 5_000 : false),
})

/** The last deliveries of a webhook, read again: an event becomes a delivery after its change has been answered. */
export const deliveriesQuery = (id: number) =>
  queryOptions({
    queryKey: ['account', 'webhookDeliveries', id],
    queryFn: () => client.account.webhookDeliveries({ id }),
    refetchInterval: ({ state: { data } }) => (data?.deliveries.some(isDue) === true ? 2_000 : 5_000),
  })

const isDue = ({ state, next_attempt_at: next }: Delivery): boolean => state === 'waiting' && next !== null

/** The host of a webhook, which names it. */
export const hostOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host
