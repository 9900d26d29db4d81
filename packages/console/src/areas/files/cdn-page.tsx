import { countColumn, sizeColumn } from '../../parts/columns.js'
import { Anchor, Badge, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconWorld } from '@tabler/icons-react'
import { areas, historyDaysMax } from '@svc/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { DataTable, type Column } from '../../parts/data-table.js'
import { EmptyState } from '../../parts/empty-state.js'
import { formatBytes, formatCount } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Hint, Note } from '../../parts/text.js'
import { lifetimeText } from './edge-lifetime.js'
import { hitRate, hitRateText } from './hit-rate.js'
import { edgeFilesQuery, trafficQuery, type EdgeFile } from './queries.js'
import { TrafficHistory } from './traffic-history.js'

const TrafficChart = lazy(async () => ({ default: (await import('./traffic-chart.js')).TrafficChart }))

const topMax = 8

/** The shared files in the edge cache: requests, hit rate, bytes. */
export function CdnPage() {
  const query = useInfiniteQuery(edgeFilesQuery)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const loadMore = () => {
    // After an error, the user decides when it is tried again.
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }
  return (
    <Page
      title="Edge cache"
      lead="How often your shared files are requested, and how many of the requests the edge cache (CDN) answers. Open a file to change how long it is cached."
      above={{ label: 'Files', path: '/files' }}
      requests={[
        { op: areas.cdn.stats },
        { op: areas.files.traffic },
        { op: areas.cdn.config },
        { op: areas.cdn.purge },
      ]}
    >
      <QueryView query={query}>
        {({ pages }) => {
          const files = pages.flatMap((page) => page.files)
          const total = pages.at(-1)?.total ?? 0
          if (files.length === 0) return <NoFiles />
          return (
            <Stack gap="lg">
              <Figures files={files} total={total} />
              <TrafficHistory />
              <MostRequested files={files} />
              <DataTable label="Shared files" rows={files} columns={columns} rowKey={({ id }) => id} onEnd={loadMore} />
            </Stack>
          )
        }}
      </QueryView>
    </Page>
  )
}

/** Without shared files. The requests for files that were shared earlier stay in the history. */
function NoFiles() {
  const { data: days = [] } = useQuery(trafficQuery(historyDaysMax))
  const isEmpty = days.every(({ hits, misses, others }) => hits + misses + others === 0)
  return (
    <Stack gap="lg">
      <EmptyState icon={IconWorld} title={isEmpty ? 'No shared files yet' : 'No file is shared now'}>
        Share a file in the list of{' '}
        <Anchor component={Link} to="/files" underline="always" inherit>
          files
        </Anchor>
        . Its link is then served through the edge cache, and its requests are counted here.
      </EmptyState>
      {!isEmpty && <TrafficHistory />}
    </Stack>
  )
}

/** The sums of the loaded files. */
function Figures({ files, total }: { readonly files: readonly EdgeFile[]; readonly total: number }) {
  const sum = (part: (file: EdgeFile) => number) => files.reduce((value, file) => value + part(file), 0)
  const counts = { hits: sum(({ hits }) => hits), misses: sum(({ misses }) => misses) }
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <Figure label="Shared files" value={formatCount(total)} />
        <Figure label="Requests" value={formatCount(sum(({ requests }) => requests))} />
        <Figure label="Hit rate" value={hitRateText(counts)} />
        <Figure label="Served" value={formatBytes(sum((file) => file.bytes_served))} />
      </SimpleGrid>
      {files.length < total && (
        <Note>
          The sums and the order cover the {formatCount(files.length)} newest of {formatCount(total)} shared files.
          Scroll to the end of the table to load more.
        </Note>
      )}
    </>
  )
}

function MostRequested({ files }: { readonly files: readonly EdgeFile[] }) {
  const top = files
    .filter(({ requests }) => requests > 0)
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, topMax)
  if (top.length === 0) return null
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Most requested files
      </Title>
      <Suspense fallback={<Skeleton height={200} />}>
        <TrafficChart files={top} />
      </Suspense>
    </Card>
  )
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Card withBorder padding="md">
      <Hint>{label}</Hint>
      <Text fz="xl" fw={600}>
        {value}
      </Text>
    </Card>
  )
}

const columns: readonly Column<EdgeFile>[] = [
  {
    key: 'name',
    header: 'Name',
    sortBy: ({ name }) => name,
    cell: ({ id, name, serving }) => (
      <Group gap="xs">
        <Anchor component={Link} to={`/files/${String(id)}`} size="sm" fw={500} lineClamp={2}>
          {name}
        </Anchor>
        {!serving && (
          <Badge color="gray" variant="light" size="sm">
            off
          </Badge>
        )}
      </Group>
    ),
  },
  countColumn('requests', 'Requests', { width: 110 }),
  {
    key: 'hit_rate',
    header: 'Hit rate',
    width: 110,
    align: 'right',
    sortBy: (file) => hitRate(file) ?? -1,
    cell: hitRateText,
  },
  sizeColumn('bytes_served', 'Served', { width: 120, wideOnly: true }),
  {
    key: 'edge_ttl',
    header: 'Cached for',
    width: 130,
    align: 'right',
    wideOnly: true,
    sortBy: ({ edge_ttl: seconds }) => seconds,
    cell: ({ edge_ttl: seconds }) => lifetimeText(seconds),
  },
]
