import { Box, Table } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useFlash, type ChangedRows } from './data-table-changes.js'
import type { Column } from './data-table-column.js'
import { Header, sortRows, type Sort } from './data-table-header.js'
import { BodyRow, Spacer } from './data-table-rows.js'
import { isInView, useRowHeight, useScrollKeys } from './data-table-scroll.js'
import classes from './data-table.module.css'
import { places } from './places.js'
import { headerHeight } from './shell-sizes.js'
import { useIsNarrow } from './use-is-narrow.js'
import { useRowGuards } from './use-row-guards.js'
import { useTopInPage } from './use-top-in-page.js'

export type { Column } from './data-table-column.js'

interface Props<Row> {
  /** Names the table for screen readers. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string | number
  /** Instead of rows, if there are none, such as after a filter. */
  readonly empty?: ReactNode
  /** Called when the user comes near the last row, to load more rows. */
  readonly onEnd?: (() => void) | undefined
  /** Scrolls to these rows, and lets them flash. */
  readonly changed?: ChangedRows | undefined
  /** Gets the rows in the order of the table. */
  readonly order?: RefObject<readonly Row[]>
  /** A row on a phone, instead of its cells: lines of text. Its controls stay. A function that does not change. */
  readonly lines?: (row: Row) => ReactNode
}

/** With more rows than this, only those in view are in the page. */
const virtualFrom = 40
/** At least the space between the last row and the end of the page, in pixels. */
const belowLastRow = 96
/** How far from the last row `onEnd` is called. */
const rowsBeforeEnd = 100

/** A table with sortable columns. It scrolls with the page, smoothly with tens of thousands of rows: only those in view are in the page. */
export function DataTable<Row>(props: Props<Row>) {
  const { label, rows, columns: allColumns, rowKey, empty, onEnd, changed, order, lines } = props
  const [sort, setSort] = useState<Sort | undefined>(() => places.sorts[label])
  const sortBy = (to: Sort) => {
    places.sorts[label] = to
    setSort(to)
  }
  // The arrow moves at once, the rows follow.
  const rowSort = useDeferredValue(sort)
  const sorted = useMemo(() => sortRows(rows, allColumns, rowSort), [rows, allColumns, rowSort])
  useEffect(() => {
    if (order !== undefined) order.current = sorted
  }, [order, sorted])
  const isInLines = useIsNarrow() && lines !== undefined
  const columns = useMemo(
    () => (isInLines ? columnsOfLines(allColumns, lines) : allColumns),
    [allColumns, isInLines, lines],
  )
  const view = useRef<HTMLDivElement>(null)
  const guards = useRowGuards({ sorted, rowKey, view })
  const isVirtual = sorted.length > virtualFrom
  const top = useTopInPage(view)
  const rowHeight = useRowHeight(isInLines ? `${label} in lines` : label, view)
  const virtual = useWindowVirtualizer({
    count: isVirtual ? sorted.length : 0,
    scrollMargin: top,
    scrollPaddingEnd: belowLastRow,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rowKey(sorted[index] as Row),
    overscan: 12,
    // A key or a click does not wait until the rows are rendered.
    useFlushSync: false,
  })
  const inView = virtual.getVirtualItems()
  const above = (inView[0]?.start ?? top) - top
  const below = virtual.getTotalSize() - ((inView.at(-1)?.end ?? top) - top)
  const shown = isVirtual ? inView.map(({ index }) => index) : sorted.map((_, index) => index)
  const isNearEnd = isVirtual && (inView.at(-1)?.index ?? 0) >= sorted.length - rowsBeforeEnd
  useEffect(() => {
    if (isNearEnd) onEnd?.()
  }, [isNearEnd, sorted.length, onEnd])
  useScrollKeys(isVirtual, {
    Home: () => scrollTo({ top: 0 }),
    End: () => virtual.scrollToIndex(sorted.length - 1, { align: 'end' }),
  })
  const reveal = (index: number) => {
    const row = view.current?.querySelector(`tr[data-index="${String(index)}"]`)
    if (row && isInView(row)) return
    if (isVirtual) virtual.scrollToIndex(index, { align: 'center' })
    else row?.scrollIntoView({ block: 'center' })
  }
  const flashing = useFlash({ changed, sorted, rowKey, reveal })
  if (rows.length === 0 && empty !== undefined) return <Box py="md">{empty}</Box>
  return (
    <div ref={view} className={isVirtual ? classes['long'] : classes['whole']}>
      <Table
        aria-label={label}
        aria-rowcount={sorted.length + 1}
        stickyHeader={isVirtual}
        stickyHeaderOffset={headerHeight}
        highlightOnHover
        className={classes['table']}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Header key={column.key} column={column} sort={sort} onSort={sortBy} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody {...guards}>
          {isVirtual && <Spacer height={above} />}
          {shown.map((index) => {
            const row = sorted[index] as Row
            const key = rowKey(row)
            return (
              <BodyRow
                key={key}
                row={row}
                isChanged={flashing.has(key)}
                index={index}
                columns={columns}
                measure={isVirtual ? virtual.measureElement : undefined}
              />
            )
          })}
          {isVirtual && <Spacer height={below} />}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** The columns of a phone: the lines, whose header sorts by each of the columns, among the columns of controls. */
function columnsOfLines<Row>(columns: readonly Column<Row>[], cell: Column<Row>['cell']): readonly Column<Row>[] {
  const first = columns.findIndex(({ staysBesideLines }) => staysBesideLines !== true)
  const sorts = columns.filter(({ sortBy }) => sortBy !== undefined)
  return columns.flatMap((column, index) => {
    if (column.staysBesideLines) return column
    return index === first ? { key: 'lines', header: 'Row', cell, sorts } : []
  })
}
