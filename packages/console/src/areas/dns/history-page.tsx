import { Button, Group, Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useParams } from 'react-router'
import { DecodedName } from '../../parts/decoded-name.js'
import { EmptyState } from '../../parts/empty-state.js'
import { ErrorNote } from '../../parts/errors.js'
import { counted } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import type { ChangeActs } from './history/change-entry.js'
import { ChangeList } from './history/change-list.js'
import { HistoryFilterFields, useHistoryFilter } from './history/history-filter.js'
import { historyQuery, type ChangePage } from './history/queries.js'
import { RevertDialog } from './history/revert-dialog.js'
import { useRevertInUrl } from './history/use-revert-in-url.js'

/** The changes of a zone: who made them, what they removed and added, and the way back. */
export function HistoryPage() {
  const { zone = '' } = useParams()
  const fields = useHistoryFilter()
  const query = useInfiniteQuery(historyQuery(zone, fields.filter))
  const { revert, acts, close } = useRevertInUrl(zone)
  const total = query.data?.pages[0]?.total
  // Until the answer to another filter arrives, the list is that of the filter before.
  const isFiltered = fields.isSet || fields.isAsked || query.isPlaceholderData
  return (
    <Page
      title="History"
      lead={
        <>
          <DecodedName text={zone} />
          Each change of the records: who made it, and what it removed and added. You can take back any of them.
        </>
      }
      above={{ label: zone, path: `/dns/${zone}` }}
      requests={[
        { op: areas.dns.historyList, input: { zone, limit: 20 } },
        { op: areas.dns.historyGet },
        { op: areas.dns.historyRevert },
      ]}
    >
      <RevertDialog zone={zone} revert={revert} onClose={close} />
      <Stack>
        {/* It stays while the server refuses a host, so that the user can correct it. */}
        {(fields.isSet || (total ?? 0) > 0) && (
          <Group justify="space-between" gap="xs">
            <HistoryFilterFields fields={fields} />
            <Text size="sm" c="dimmed" role="status">
              {total !== undefined && counted(total, 'change')}
            </Text>
          </Group>
        )}
        <QueryView query={query}>
          {(loaded) => (
            <Changes
              zone={zone}
              loaded={loaded}
              isFiltered={isFiltered}
              acts={acts}
              olderError={query.isFetchNextPageError ? query.error : undefined}
              isLoadingOlder={query.isFetchingNextPage}
              loadOlder={query.hasNextPage ? () => void query.fetchNextPage({ cancelRefetch: false }) : undefined}
            />
          )}
        </QueryView>
      </Stack>
    </Page>
  )
}

interface ChangesProps {
  readonly zone: string
  readonly loaded: InfiniteData<ChangePage>
  readonly isFiltered: boolean
  readonly acts: ChangeActs
  readonly olderError: Error | undefined
  readonly isLoadingOlder: boolean
  /** Undefined if all changes are loaded. */
  readonly loadOlder: (() => void) | undefined
}

function Changes({ zone, loaded: { pages }, isFiltered, acts, olderError, isLoadingOlder, loadOlder }: ChangesProps) {
  const changes = useMemo(() => pages.flatMap((page) => page.changes), [pages])
  if (changes.length === 0)
    return isFiltered ? (
      <Note>No change matches this filter.</Note>
    ) : (
      <EmptyState icon={IconHistory} title="No changes yet">
        Add, change or delete a record: the change appears here, with who made it, and can be taken back.
      </EmptyState>
    )
  return (
    <>
      <ChangeList zone={zone} changes={changes} isWhole={!isFiltered} acts={acts} />
      {olderError && <ErrorNote error={olderError} retry={loadOlder} title="Older changes cannot be loaded" />}
      {loadOlder && !olderError && (
        <Button variant="default" loading={isLoadingOlder} onClick={loadOlder} style={{ alignSelf: 'center' }}>
          Load older changes
        </Button>
      )}
      {!loadOlder && <Note>This is the oldest change that is kept.</Note>}
    </>
  )
}
