import { Anchor, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { DataTable } from '../../parts/data-table.js'
import { counted, formatCount } from '../../parts/format.js'
import { fileColumns } from './file-columns.js'
import type { FileConditions, FileFilter } from './file-filter.js'
import { SelectAll } from '../../parts/selection/select-box.js'
import { selectColumn } from '../../parts/selection/select-column.js'
import { useSelection } from '../../parts/selection/use-selection.js'
import { Note } from '../../parts/text.js'
import { useIsNarrow } from '../../parts/use-is-narrow.js'
import { FileGrid } from './file-grid.js'
import { PreviewDialog } from './preview-dialog.js'
import type { File, FilePage } from './queries.js'
import { FileSelectionBar } from './selection-bar.js'
import { useFileView, type FileView } from './use-file-view.js'
import { usePreview } from './use-preview.js'

interface Props {
  readonly filter: FileFilter
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly isFetchNextPageError: boolean
    readonly isPlaceholderData: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly pages: readonly FilePage[]
}

/** The files that fit the filter. Further pages are loaded while the user scrolls. */
export function FileList({ filter, query, pages }: Props) {
  const [loadsAllOf, setLoadsAllOf] = useState<FileConditions>()
  const loadsAll = loadsAllOf === filter.conditions
  const isPhone = useIsNarrow()
  // Rendered in slices: uploads put many new rows into the list at once, while the user types or clicks.
  const current = useDeferredValue(pages)
  const files = useMemo(() => current.flatMap((page) => page.files), [current])
  const selection = useSelection(files)
  const [view, setView] = useFileView()
  const { file: previewed, open: preview, close } = usePreview(files)
  const columns = useMemo(
    () => [selectColumn(selection, nameOf), ...fileColumns({ isPhone, preview })],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the function is new after each change of the address
    [selection, isPhone],
  )
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query
  const loadMore = useCallback(() => {
    // After an error, the user decides when it is tried again.
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData, fetchNextPage])
  useEffect(() => {
    if (loadsAll) loadMore()
  }, [loadsAll, loadMore])
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          {view === 'grid' && files.length > 0 && <SelectAll selection={selection} />}
          <Text size="sm" c="dimmed" role="status">
            {countText(files.length, current.at(-1)?.total ?? 0)}
          </Text>
        </Group>
        <Group gap="sm">
          {hasNextPage && (
            <Button
              variant="default"
              loading={loadsAll && isFetchingNextPage}
              onClick={() => setLoadsAllOf(filter.conditions)}
            >
              Load all
            </Button>
          )}
          <SegmentedControl aria-label="View" size="xs" data={views} value={view} onChange={setView} />
        </Group>
      </Group>
      {view === 'grid' && files.length > 0 ? (
        <FileGrid files={files} selection={selection} preview={preview} onEnd={loadMore} />
      ) : (
        <DataTable
          label="Files"
          rows={files}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<NoneFound filter={filter} />}
          onEnd={loadMore}
          order={selection.order}
        />
      )}
      <FileSelectionBar selection={selection} />
      <PreviewDialog file={previewed} order={selection.order} onOpen={preview} onClose={close} />
    </Stack>
  )
}

const views = [
  { value: 'table', label: 'Table' },
  { value: 'grid', label: 'Grid' },
] satisfies { readonly value: FileView; readonly label: string }[]

const nameOf = ({ name }: File): string => name

function NoneFound({ filter: { clear, name } }: Pick<Props, 'filter'>) {
  return (
    <Note>
      {name.trim() === '' ? 'No file fits the filter.' : `No file with ${name.trim()} in its name fits the filter.`}{' '}
      <Anchor component="button" size="sm" underline="always" onClick={clear}>
        Show all files
      </Anchor>
    </Note>
  )
}

function countText(loaded: number, total: number): string {
  if (loaded >= total) return counted(total, 'file')
  return `${formatCount(loaded)} of ${counted(total, 'file')} are loaded. The order applies to these.`
}
