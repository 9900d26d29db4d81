import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconHistory, IconWebhook } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.js'
import { ErrorNote } from '../../parts/errors.js'
import { counted } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import classes from './activity.module.css'
import { daysOf } from './days.js'
import { DownloadCsv } from './download-csv.js'
import { EventRow } from './event-row.js'
import { FilterFields, useEventFilter } from './filters.js'
import { eventsQuery, type AccountEvent, type EventFilter } from './queries.js'

/** What was done in the account, by whom and from where. */
export function ActivityPage() {
  const filters = useEventFilter()
  const { filter } = filters
  const query = useInfiniteQuery(eventsQuery(filter))
  const events = query.data?.pages.flatMap((page) => page.events) ?? []
  const total = query.data?.pages[0]?.total
  return (
    <Page
      title="Activity"
      lead="What you, your API keys and the operator did in this account, the newest first."
      actions={
        <>
          <Button component={Link} to="/activity/webhooks" variant="default" leftSection={<IconWebhook size={16} />}>
            Webhooks
          </Button>
          {total !== undefined && total > 0 && <DownloadCsv filter={filter} />}
        </>
      }
      requests={[{ op: areas.account.eventList, input: { ...defined(filter), limit: 100 } }]}
    >
      <FilterFields {...filters} sample={events[0]} />
      <QueryView query={query}>
        {() =>
          events.length === 0 ? (
            <NoEvents isFiltered={Object.keys(defined(filter)).length > 0} />
          ) : (
            <Stack gap="lg">
              <Text size="sm" c="dimmed" role="status">
                {counted(total ?? events.length, 'event')}
              </Text>
              <Days events={events} />
              {query.isFetchNextPageError && (
                <ErrorNote
                  error={query.error}
                  retry={() => void query.fetchNextPage()}
                  title="Older events cannot be loaded"
                />
              )}
              {query.hasNextPage && !query.isFetchNextPageError && (
                <Group justify="center">
                  <Button
                    variant="default"
                    loading={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show older
                  </Button>
                </Group>
              )}
            </Stack>
          )
        }
      </QueryView>
    </Page>
  )
}

/** The fields of a filter that select something. */
const defined = (filter: EventFilter): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

function Days({ events }: { readonly events: readonly AccountEvent[] }) {
  return daysOf(events).map((day) => (
    <section key={day.title} aria-label={day.title}>
      <Title order={2} size="h5" mb={4}>
        {day.title}
      </Title>
      <ul className={classes['list']}>
        {day.events.map((event) => (
          <li key={event.id} className={classes['event']} data-index={event.id} tabIndex={-1}>
            <EventRow event={event} />
          </li>
        ))}
      </ul>
    </section>
  ))
}

function NoEvents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Text size="sm" c="dimmed" role="status">
        No event matches this filter. The name of a thing must be its whole name.
      </Text>
    )
  return (
    <EmptyState icon={IconHistory} title="No events yet">
      Sign-ins, changes of zones, API keys and everything else that is done in this account appear here.
    </EmptyState>
  )
}
