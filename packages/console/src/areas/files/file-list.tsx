import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { DataTable } from '../../parts/data-table.js'
import { formatCount } from '../../parts/format.js'
import { useFilter } from '../../parts/url-state.js'
import { fileColumns } from './file-columns.js'
import type { client } from '../../app/client.js'
import { SelectionBar } from './selection-bar.js'

type FilePage = Awaited<ReturnType<typeof client.files.list>>

interface Props {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly isFetchNextPageError: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
  readonly pages: readonly FilePage[]
}

/** The loaded files, with a filter by name. Further pages are loaded while the user scrolls. */
export function FileList({ query, pages }: Props) {
  const [name, setName] = useFilter('name')
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [loadsAll, setLoadsAll] = useState(false)
  const wanted = useDeferredValue(name.trim().toLowerCase())
  // Rendered in slices: uploads put many new rows into the list at once, while the user types or clicks.
  const current = useDeferredValue(pages)
  const files = useMemo(() => current.flatMap((page) => page.files), [current])
  const shown = useMemo(
    () => (wanted === '' ? files : files.filter((file) => file.name.toLowerCase().includes(wanted))),
    [files, wanted],
  )
  const chosen = useMemo(() => shown.filter(({ id }) => selected.has(id)), [shown, selected])
  const columns = useMemo(() => fileColumns(selected, setSelected), [selected])
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const loadMore = useCallback(() => {
    // After an error, the user decides when it is tried again.
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  useEffect(() => {
    if (loadsAll) loadMore()
  }, [loadsAll, loadMore])
  const total = current.at(-1)?.total ?? 0
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <TextInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
          w={{ base: '100%', xs: 260 }}
        />
        <Text size="sm" c="dimmed" role="status">
          {countText(shown.length, files.length, total)}
        </Text>
        {hasNextPage && (
          <Button variant="default" loading={loadsAll && isFetchingNextPage} onClick={() => setLoadsAll(true)}>
            Load all
          </Button>
        )}
      </Group>
      <SelectionBar
        chosen={chosen}
        selectAll={() => setSelected(new Set(shown.map(({ id }) => id)))}
        clear={() => setSelected(new Set())}
        count={shown.length}
      />
      <DataTable
        label="Files"
        rows={shown}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            No loaded file has {name} in its name.
          </Text>
        }
        onEnd={loadMore}
      />
    </Stack>
  )
}

function countText(shown: number, loaded: number, total: number): string {
  const all = formatCount(total)
  if (loaded < total) {
    const found = shown === loaded ? '' : `${formatCount(shown)} found. `
    return `${found}${formatCount(loaded)} of ${all} files are loaded. The filter and the order apply to these.`
  }
  return shown === total ? `${all} ${total === 1 ? 'file' : 'files'}` : `${formatCount(shown)} of ${all} files`
}
