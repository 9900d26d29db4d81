import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { DataTable } from '../../parts/data-table.js'
import { counted, formatCount } from '../../parts/format.js'
import { fileColumns } from './file-columns.js'
import type { FileConditions, FileFilter } from './file-filter.js'
import type { client } from '../../parts/api/client.js'
import { Note } from '../../parts/text.js'
import { SelectionBar } from './selection-bar.js'

type FilePage = Awaited<ReturnType<typeof client.files.list>>

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
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [loadsAllOf, setLoadsAllOf] = useState<FileConditions>()
  const loadsAll = loadsAllOf === filter.conditions
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  // Rendered in slices: uploads put many new rows into the list at once, while the user types or clicks.
  const current = useDeferredValue(pages)
  const files = useMemo(() => current.flatMap((page) => page.files), [current])
  const chosen = useMemo(() => files.filter(({ id }) => selected.has(id)), [files, selected])
  const columns = useMemo(() => fileColumns({ selected, select: setSelected, isPhone }), [selected, isPhone])
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
        <Text size="sm" c="dimmed" role="status">
          {countText(files.length, current.at(-1)?.total ?? 0)}
        </Text>
        {hasNextPage && (
          <Button
            variant="default"
            loading={loadsAll && isFetchingNextPage}
            onClick={() => setLoadsAllOf(filter.conditions)}
          >
            Load all
          </Button>
        )}
      </Group>
      <SelectionBar
        chosen={chosen}
        selectAll={() => setSelected(new Set(files.map(({ id }) => id)))}
        clear={() => setSelected(new Set())}
        count={files.length}
      />
      <DataTable
        label="Files"
        rows={files}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<NoneFound filter={filter} />}
        onEnd={loadMore}
      />
    </Stack>
  )
}

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
