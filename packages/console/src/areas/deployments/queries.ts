import { deploymentKinds, type DeploymentKind } from '@svc/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'

export type Deployment = Awaited<ReturnType<typeof client.deployments.list>>['deployments'][number]
export type Detail = Awaited<ReturnType<typeof client.deployments.get>>
export type SubmissionPage = Awaited<ReturnType<typeof client.deployments.submissions>>
export type Submission = SubmissionPage['submissions'][number]
export type WebhookRequest = Awaited<ReturnType<typeof client.deployments.requests>>['requests'][number]
export type RequestDetail = Awaited<ReturnType<typeof client.deployments.request>>

/** The path of a deployment in the console. */
export const pathOf = ({ id }: Pick<Deployment, 'id'>): string => `/deployments/${String(id)}`

/** Begins the keys of all reads of this area. */
const deploymentsKey = ['deployments'] as const

/** All deployments of the account, newest first: the filter needs those of all pages. */
export const deploymentsQuery = queryOptions({
  queryKey: [...deploymentsKey, 'list'],
  queryFn: async () => {
    const deployments: Deployment[] = []
    let before: number | null = null
    do {
      const page: Awaited<ReturnType<typeof client.deployments.list>> = await client.deployments.list(
        before === null ? {} : { before },
      )
      deployments.push(...page.deployments)
      before = page.next
    } while (before !== null)
    return deployments
  },
})

/** Milliseconds between two reads while the page is visible. */
const everyMs = 5_000

/** One deployment with its options. Those of a webhook are read again with its requests. @param id as it stands in the address */
export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: [...deploymentsKey, 'get', id],
    queryFn: () => client.deployments.get({ id }),
    refetchInterval: ({ state }) => (state.data?.kind === 'webhook' ? everyMs : false),
  })

/** The uses of a deployment by day. Those of a webhook are read again with its requests. @param enabled while they are shown */
export const usesQuery = ({ id, kind }: Pick<Detail, 'id' | 'kind'>, days: number, enabled: boolean) =>
  queryOptions({
    queryKey: [...deploymentsKey, 'uses', id, days],
    queryFn: () => client.deployments.uses({ id: String(id), days }),
    select: (answer) => answer.days,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: kind === 'webhook' && everyMs,
  })

/** The same by hour. @param enabled while they are shown */
export const recentUsesQuery = ({ id, kind }: Pick<Detail, 'id' | 'kind'>, enabled: boolean) =>
  queryOptions({
    queryKey: [...deploymentsKey, 'recent uses', id],
    queryFn: () => client.deployments.recentUses({ id: String(id) }),
    select: ({ hours }) =>
      hours.map(({ start, uses, failures, uses_week_before }) => ({
        day: start,
        uses,
        failures,
        weekBefore: uses_week_before,
      })),
    enabled,
    refetchInterval: kind === 'webhook' && everyMs,
  })

const pageSize = 100
const olderThan = (before: number | null) => ({ limit: pageSize, ...(before !== null && { before }) })
/** The type is that of the later pages too. */
const firstPage = null as number | null

const onDay = (day: string | undefined) => (day === undefined ? {} : { since: day, until: day })

/** The submissions of a form, newest first, in pages. @param day in UTC; undefined for all days */
export const submissionsQuery = (id: number, day?: string) =>
  infiniteQueryOptions({
    queryKey: [...submissionsKey(id), day ?? 'all'],
    queryFn: ({ pageParam }) =>
      client.deployments.submissions({ id: String(id), ...olderThan(pageParam), ...onDay(day) }),
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
  })

/** Begins the keys of the lists of submissions of a form. */
export const submissionsKey = (id: number) => [...deploymentsKey, 'submissions', id] as const

/** Begins the keys of the lists of requests and of each request of a webhook. */
export const requestsKey = (id: number) => [...deploymentsKey, 'requests', id] as const

/**
 * The requests of a webhook, newest first, in pages. They are read again while the page is visible.
 * @param day in UTC; undefined for all days
 */
export const requestsQuery = (id: number, day?: string) =>
  infiniteQueryOptions({
    queryKey: [...requestsKey(id), 'list', day ?? 'all'],
    queryFn: ({ pageParam }) => client.deployments.requests({ id: String(id), ...olderThan(pageParam), ...onDay(day) }),
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
    refetchInterval: everyMs,
  })

/** One request of a webhook with headers and body. Only its delivery changes. */
export const requestQuery = (id: number, requestId: string) =>
  queryOptions({
    queryKey: [...requestsKey(id), 'one', requestId],
    queryFn: () => client.deployments.request({ id: String(id), request_id: requestId }),
    refetchInterval: ({ state }) => (typeof state.data?.delivery?.next_attempt_at === 'string' ? everyMs : false),
  })

/** A kind in the address; undefined for any other text. */
export const kindOf = (text: string | undefined): DeploymentKind | undefined =>
  deploymentKinds.find((kind) => kind === text)
