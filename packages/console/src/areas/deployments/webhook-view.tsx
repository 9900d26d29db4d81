import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { CodeSample } from '../../parts/code-sample.js'
import { sizeColumn } from '../../parts/columns.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { formatDay } from '../../parts/day-counts.js'
import { DayFilter, useDay } from '../../parts/day-filter.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted } from '../../parts/format.js'
import { QueryView } from '../../parts/query-view.js'
import { Note, SectionTitle } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useItemInUrl } from '../../parts/url-state.js'
import { DeliveryState } from './delivery-state.js'
import { ForwardFailed } from './forward-failed.js'
import { requestsQuery, type Detail, type WebhookRequest } from './queries.js'
import { RequestDrawer } from './request-drawer.js'
import { webhookCurl } from './samples.js'
import { SigningSecret } from './signing-secret.js'

/** A webhook: what it has received, and how its receiver verifies what it forwards. */
export function WebhookView(detail: Detail) {
  return (
    <>
      <Requests webhook={detail} />
      {detail.webhook && <SigningSecret id={detail.id} slug={detail.slug} secret={detail.webhook.secret} />}
    </>
  )
}

function Requests({ webhook }: { readonly webhook: Detail }) {
  const [day] = useDay()
  const query = useInfiniteQuery(requestsQuery(webhook.id, day))
  const request = useItemInUrl('request')
  const loaded = useMemo(() => query.data?.pages.flatMap(({ requests }) => requests) ?? [], [query.data])
  const failing = query.data?.pages[0]?.failing ?? null
  return (
    <Stack>
      <Group justify="space-between">
        <SectionTitle>Requests</SectionTitle>
        <Group gap="xs">
          <Note>{counted(query.data?.pages[0]?.total ?? 0, 'request')}, updated every few seconds</Note>
          <DayFilter />
        </Group>
      </Group>
      {failing && <ForwardFailed webhook={webhook} failing={failing} />}
      <QueryView query={query}>
        {() =>
          loaded.length === 0 && day !== undefined ? (
            <Note>No kept requests of {formatDay(day)}.</Note>
          ) : loaded.length === 0 ? (
            <FirstRequest url={webhook.url} />
          ) : (
            <DataTable label="Requests" rows={loaded} rowKey={({ id }) => id} columns={columnsOf(request.open)} />
          )
        }
      </QueryView>
      {query.hasNextPage && (
        <Button
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
          style={{ alignSelf: 'center' }}
        >
          Load older requests
        </Button>
      )}
      <RequestDrawer webhook={webhook} requestId={request.item} onClose={request.close} />
    </Stack>
  )
}

function FirstRequest({ url }: { readonly url: string }) {
  return (
    <EmptyState icon={IconWebhook} title="Waiting for the first request">
      <Stack gap="sm" ta="left">
        Give the address to the service that sends events, or try it in a terminal. The request appears here by itself.
        <CodeSample code={webhookCurl(url)} what="the command" />
      </Stack>
    </EmptyState>
  )
}

const columnsOf = (open: (id: number) => void): readonly Column<WebhookRequest>[] => [
  {
    key: 'request',
    header: 'Request',
    cell: ({ id, method, path, query }) => (
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="left"
        onClick={() => open(id)}
        style={{ overflowWrap: 'anywhere' }}
      >
        <b>{method}</b> {path === '' ? '/' : path}
        {query !== '' && `?${query}`}
      </Anchor>
    ),
  },
  {
    key: 'delivery',
    header: 'Delivery',
    width: 170,
    sortBy: ({ delivery }) => delivery?.state ?? '',
    cell: ({ delivery }) => <DeliveryState delivery={delivery} />,
  },
  {
    key: 'content_type',
    header: 'Type',
    wideOnly: true,
    sortBy: ({ content_type }) => content_type ?? '',
    cell: ({ content_type }) => (
      <Text size="sm" truncate maw={220}>
        {content_type ?? ''}
      </Text>
    ),
  },
  sizeColumn('size', 'Size', { width: 100, wideOnly: true }),
  { key: 'ip', header: 'Sender', wideOnly: true, sortBy: ({ ip }) => ip, cell: ({ ip }) => ip },
  {
    key: 'received_at',
    header: 'Received',
    width: 130,
    wideOnly: true,
    sortBy: ({ id }) => id,
    cell: ({ received_at }) => <TimeAgo at={received_at} />,
  },
]
