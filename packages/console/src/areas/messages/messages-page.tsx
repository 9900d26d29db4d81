import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconDeviceMobile, IconMessage, IconPlus, IconSearch } from '@tabler/icons-react'
import { areas, consoleAreas, deletedAtOnceMax } from '@svc/contract'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { Link } from 'react-router'
import { EmptyState } from '../../parts/empty-state.js'
import { ErrorNote } from '../../parts/errors.js'
import { counted, formatCount } from '../../parts/format.js'
import { searchField } from '../../parts/key-targets.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { undoNote, useHiddenRows } from '../../parts/removal/removal.js'
import { SelectAll } from '../../parts/selection/select-box.js'
import { SelectionBar } from '../../parts/selection/selection-bar.js'
import { useSelection } from '../../parts/selection/use-selection.js'
import { useFilter } from '../../parts/url-state.js'
import { deleteMessages, messageList } from './delete-messages.js'
import { matches, without, type Loaded } from './loaded-messages.js'
import { MessageDrawer } from './message-drawer.js'
import { MessageList } from './message-list.js'
import { messagesQuery, newestQuery } from './queries.js'

/** The inbox: text messages that phones forward. */
export function MessagesPage() {
  const query = useInfiniteQuery(messagesQuery)
  const hidden = useHiddenRows(messageList)
  const { data } = query
  const loaded = useMemo(() => data && without(data, hidden), [data, hidden])
  const newest = useQuery({ ...newestQuery, enabled: query.isSuccess })
  return (
    <Page
      title="Messages"
      lead="Text messages that your phones forward. New ones appear by themselves."
      actions={
        <Button
          component={Link}
          to="/messages/keys"
          variant="default"
          leftSection={<IconDeviceMobile size={16} aria-hidden />}
        >
          Forwarder keys
        </Button>
      }
      requests={[{ op: areas.sms.messageList }, { op: consoleAreas.sms.messagesDelete }]}
    >
      {newest.isError && (
        <ErrorNote error={newest.error} retry={() => void newest.refetch()} title="New messages cannot be loaded" />
      )}
      <QueryView query={query}>
        {(answer) =>
          (loaded ?? answer).pages[0]?.total === 0 ? (
            <NoMessages />
          ) : (
            <Inbox
              loaded={loaded ?? answer}
              olderError={query.isFetchNextPageError ? query.error : undefined}
              isLoadingOlder={query.isFetchingNextPage}
              loadOlder={query.hasNextPage ? () => void query.fetchNextPage({ cancelRefetch: false }) : undefined}
            />
          )
        }
      </QueryView>
      <MessageDrawer />
    </Page>
  )
}

function NoMessages() {
  return (
    <EmptyState
      icon={IconMessage}
      title="No messages yet"
      action={
        <Button component={Link} to="/messages/keys?new" leftSection={<IconPlus size={16} aria-hidden />}>
          Create a forwarder key
        </Button>
      }
    >
      An app on your phone forwards each text message to this inbox. Create a key for the phone, then follow the steps
      for its app.
    </EmptyState>
  )
}

interface InboxProps {
  readonly loaded: Pick<Loaded, 'pages'>
  readonly olderError: Error | undefined
  readonly isLoadingOlder: boolean
  /** Undefined if all messages are loaded. */
  readonly loadOlder: (() => void) | undefined
}

function Inbox({ loaded: { pages }, olderError, isLoadingOlder, loadOlder }: InboxProps) {
  const [typed, setSearch] = useFilter('search')
  const search = useDeferredValue(typed.trim())
  const loaded = useMemo(() => pages.flatMap(({ messages }) => messages), [pages])
  const found = useMemo(() => loaded.filter((message) => matches(message, search)), [loaded, search])
  const total = pages[0]?.total ?? loaded.length
  const selection = useSelection(found)
  const remove = async () => {
    selection.clear()
    await deleteMessages(selection.chosen)
  }
  return (
    <Stack gap="sm">
      <TextInput
        type="search"
        {...searchField}
        aria-label="Search in sender, text and device"
        placeholder="Search in sender, text and device"
        leftSection={<IconSearch size={16} aria-hidden />}
        maw={480}
        value={typed}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <Group gap="sm" px="xs">
        {found.length > 0 && <SelectAll selection={selection} />}
        <Summary {...{ search, total }} found={found.length} loaded={loaded.length} />
      </Group>
      {/* A search with few hits would load the whole inbox by itself: it has a button. */}
      <MessageList
        messages={found}
        selection={selection}
        onEnd={search === '' && olderError === undefined ? loadOlder : undefined}
      />
      {found.length === 0 && search !== '' && (
        <Text size="sm">
          No loaded message contains “{search}”.{' '}
          <Anchor component="button" size="sm" underline="always" onClick={() => setSearch('')}>
            Clear the search
          </Anchor>
        </Text>
      )}
      {olderError && <ErrorNote error={olderError} retry={loadOlder} title="Older messages cannot be loaded" />}
      {loadOlder && !olderError && (
        <Group justify="center">
          <Button variant="default" onClick={loadOlder} loading={isLoadingOlder}>
            {search === '' ? 'Load older messages' : 'Search older messages too'}
          </Button>
        </Group>
      )}
      <SelectionBar
        selection={selection}
        noun="message"
        remove={remove}
        warning={undoNote(selection.chosen.length, deletedAtOnceMax)}
      />
    </Stack>
  )
}

interface SummaryProps {
  readonly search: string
  readonly found: number
  readonly loaded: number
  readonly total: number
}

/** How many messages are shown, and which of them the search covers. */
function Summary({ search, found, loaded, total }: SummaryProps) {
  const all = counted(total, 'message')
  const covered = loaded < total ? `the newest ${formatCount(loaded)} of ${all}` : `all ${all}`
  return (
    <Text size="sm" c="dimmed" role="status">
      {search === '' ? all : `${formatCount(found)} found in ${covered}`}
    </Text>
  )
}
