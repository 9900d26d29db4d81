import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { deletedAtOnceMax } from '@svc/contract'
import { IconDownload, IconInbox, IconSearch } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../../parts/api/client.js'
import { DataTable, type Column } from '../../parts/data-table.js'
import { formatDay } from '../../parts/day-counts.js'
import { DayFilter, useDay } from '../../parts/day-filter.js'
import { EmptyState } from '../../parts/empty-state.js'
import { counted, formatCount } from '../../parts/format.js'
import { notifyError } from '../../parts/notify.js'
import { QueryView } from '../../parts/query-view.js'
import { undoNote, useHiddenRows } from '../../parts/removal/removal.js'
import { selectColumn } from '../../parts/selection/select-column.js'
import { SelectionBar } from '../../parts/selection/selection-bar.js'
import { useSelection } from '../../parts/selection/use-selection.js'
import { Note, SectionTitle } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import { useFilter, useItemInUrl } from '../../parts/url-state.js'
import { useSingleMutation } from '../../parts/use-single-mutation.js'
import { deleteSubmissions, submissionList } from './delete-submissions.js'
import { submissionsQuery, type Detail, type Submission } from './queries.js'
import { saveFile } from '../../parts/save-file.js'
import { SubmissionDrawer } from './submission-drawer.js'
import { commonFields, found, valueText } from './submission-table.js'

/** The submissions of a form: a table, and one of them in detail. */
export function Submissions({ form }: { readonly form: Detail }) {
  const [day] = useDay()
  const query = useInfiniteQuery(submissionsQuery(form.id, day))
  const hidden = useHiddenRows(submissionList(form.id))
  const all = useMemo(() => query.data?.pages.flatMap(({ submissions }) => submissions) ?? [], [query.data])
  const loaded = useMemo(() => all.filter(({ id }) => !hidden.has(id)), [all, hidden])
  const total = (query.data?.pages[0]?.total ?? 0) - (all.length - loaded.length)
  return (
    <Stack>
      <Group justify="space-between">
        <SectionTitle>Submissions</SectionTitle>
        {(total > 0 || day !== undefined) && (
          <Group gap="xs">
            <DayFilter />
            <ExportButton form={form} />
          </Group>
        )}
      </Group>
      <QueryView query={query}>
        {() =>
          day !== undefined && loaded.length === 0 ? (
            <Note>No kept submissions of {formatDay(day)}.</Note>
          ) : total === 0 ? (
            <EmptyState icon={IconInbox} title="No submissions yet">
              Paste the code above into your page. What visitors send appears here within seconds.
            </EmptyState>
          ) : (
            <Stack>
              <SubmissionList form={form} loaded={loaded} total={total} />
              {query.hasNextPage && (
                <Button
                  variant="default"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                  style={{ alignSelf: 'center' }}
                >
                  Load older submissions
                </Button>
              )}
            </Stack>
          )
        }
      </QueryView>
    </Stack>
  )
}

function ExportButton({ form: { id, slug } }: { readonly form: Detail }) {
  const download = useSingleMutation({
    mutationFn: async () => {
      const response = await client.deployments.submissionsExport({ id: String(id) })
      saveFile(await response.blob(), `${slug}.csv`)
    },
    onError: notifyError,
  })
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconDownload size={16} />}
      loading={download.isPending}
      onClick={() => download.mutate()}
    >
      Download as CSV
    </Button>
  )
}

/** Columns of a table that are fields of the form. */
const fieldsMax = 3

interface ListProps {
  readonly form: Detail
  readonly loaded: readonly Submission[]
  readonly total: number
}

function SubmissionList({ form, loaded, total }: ListProps) {
  const [search, setSearch] = useFilter('q')
  const submission = useItemInUrl('submission')
  const shown = useMemo(() => found(loaded, search), [loaded, search])
  const columns = useMemo(() => columnsOf(loaded), [loaded])
  const selection = useSelection(shown)
  const remove = async () => {
    selection.clear()
    await deleteSubmissions(form.id, selection.chosen)
  }
  return (
    <>
      <Group justify="space-between">
        <TextInput
          aria-label="Search in the loaded submissions"
          placeholder="Search"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Note>
          {formatCount(shown.length)} of {counted(total, 'submission')}
          {loaded.length < total && `, ${formatCount(loaded.length)} loaded`}
        </Note>
      </Group>
      <DataTable
        label="Submissions"
        rows={shown}
        rowKey={({ id }) => id}
        columns={[selectColumn(selection, titleOf), received(submission.open), ...columns]}
        order={selection.order}
        empty={
          <Text size="sm">
            {search === '' ? 'All loaded submissions are deleted.' : `No loaded submission contains “${search}”.`}
          </Text>
        }
      />
      <SelectionBar
        selection={selection}
        noun="submission"
        remove={remove}
        warning={undoNote(selection.chosen.length, deletedAtOnceMax)}
      />
      <SubmissionDrawer
        form={form}
        submission={loaded.find(({ id }) => String(id) === submission.item)}
        onClose={submission.close}
      />
    </>
  )
}

const titleOf = ({ id }: Submission): string => `submission ${String(id)}`

const received = (open: (id: number) => void): Column<Submission> => ({
  key: 'received_at',
  header: 'Received',
  width: 150,
  sortBy: ({ received_at }) => received_at,
  cell: ({ id, received_at }) => (
    <Anchor component="button" type="button" size="sm" onClick={() => open(id)}>
      <TimeAgo at={received_at} />
    </Anchor>
  ),
})

function columnsOf(loaded: readonly Submission[]): Column<Submission>[] {
  return commonFields(loaded, fieldsMax).map((name, index) => ({
    key: name,
    header: name,
    wideOnly: index > 0,
    sortBy: ({ fields }) => valueText(fields[name]),
    cell: ({ fields }) => (
      <Text size="sm" lineClamp={1} style={{ overflowWrap: 'anywhere' }}>
        {valueText(fields[name])}
      </Text>
    ),
  }))
}
