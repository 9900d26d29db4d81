import { Box, Group, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  memo,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefCallback,
  type RefObject,
} from 'react'
import classes from './data-table.module.css'
import { headerHeight } from '../app/shell-sizes.js'
import { useRowGuards } from './use-row-guards.js'
import { useTopInPage } from './use-top-in-page.js'

export interface Column<Row> {
  readonly key: string
  readonly header: string
  /** Leaves the header to screen readers, for a column of buttons. */
  readonly hidesHeader?: true
  readonly cell: (row: Row) => ReactNode
  /** Makes the column sortable by this value. */
  readonly sortBy?: (row: Row) => string | number
  /** CSS width; the columns without one share the rest. */
  readonly width?: number | string
  readonly align?: 'left' | 'right'
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean
}

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
}

interface Sort {
  readonly key: string
  readonly isDescending: boolean
}

/** With more rows than this, only those in view are in the page. */
const virtualFrom = 40
const usualHeight = 43
/** At least the space between the last row and the end of the page, in pixels. */
const belowLastRow = 96
/** The height of most rows of each table that was shown, by its label, in pixels, so that the way back finds the same place. */
const knownHeights = new Map<string, number>()
/** How each table is sorted, by its label: the way back finds it so. */
const knownSorts = new Map<string, Sort>()
/** How far from the last row `onEnd` is called. */
const rowsBeforeEnd = 100

/** A table with sortable columns. It scrolls with the page, smoothly with tens of thousands of rows: only those in view are in the page. */
export function DataTable<Row>({ label, rows, columns, rowKey, empty, onEnd }: Props<Row>) {
  const [sort, setSort] = useState(() => knownSorts.get(label))
  const sortBy = (to: Sort) => {
    knownSorts.set(label, to)
    setSort(to)
  }
  // The arrow moves at once, the rows follow.
  const rowSort = useDeferredValue(sort)
  const sorted = useMemo(() => sortRows(rows, columns, rowSort), [rows, columns, rowSort])
  const view = useRef<HTMLDivElement>(null)
  const guards = useRowGuards({ sorted, rowKey, view })
  const isVirtual = sorted.length > virtualFrom
  const top = useTopInPage(view)
  const rowHeight = useRowHeight(label, view)
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
            return (
              <BodyRow
                key={rowKey(row)}
                row={row}
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

interface RowProps<Row> {
  readonly row: Row
  /** From 0, in the order of the table. */
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly measure: RefCallback<HTMLTableRowElement> | undefined
}

function PlainRow<Row>({ row, index, columns, measure }: RowProps<Row>) {
  return (
    <Table.Tr aria-rowindex={index + 2} data-index={index} ref={measure}>
      <Cells row={row} columns={columns} />
    </Table.Tr>
  )
}

function PlainCells<Row>({ row, columns }: Pick<RowProps<Row>, 'row' | 'columns'>) {
  return (
    <>
      {columns.map((column) => (
        <Table.Td key={column.key} ta={column.align} className={cellClass(column)}>
          {column.cell(row)}
        </Table.Td>
      ))}
    </>
  )
}

/** Not rendered again when only the place of the row changes, because other rows come before it. */
const Cells = memo(PlainCells) as typeof PlainCells

/** Rendered again only for another row or other columns, not while the table scrolls. */
const BodyRow = memo(PlainRow) as typeof PlainRow

const cellClass = <Row,>({ wideOnly }: Column<Row>) => (wideOnly === true ? classes['wideOnly'] : undefined)

/** The height of most rows, in pixels: of those that are in view when the table is first shown. */
function useRowHeight(label: string, view: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(() => knownHeights.get(label) ?? usualHeight)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- after each render, until rows are in the page
  useLayoutEffect(() => {
    if (knownHeights.has(label)) return
    const rows = [...(view.current?.querySelectorAll<HTMLElement>('tr[data-index]') ?? [])]
    if (rows.length === 0) return
    const smallest = Math.min(...rows.map(({ offsetHeight }) => offsetHeight))
    knownHeights.set(label, smallest)
    setHeight(smallest)
  })
  return height
}

/**
 * Handles the keys that scroll the page to its start or end. The browser's own scrolling stops on the way, because each measured row changes
 * the height of the page.
 */
function useScrollKeys(isUsed: boolean, scroll: Readonly<Record<'Home' | 'End', () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, shiftKey, altKey, metaKey, target } = event
    if ((key !== 'Home' && key !== 'End') || ctrlKey || shiftKey || altKey || metaKey || event.defaultPrevented) return
    if (target instanceof Element && target.closest('input, textarea, select, [role="dialog"], [role="menu"]')) return
    event.preventDefault()
    scroll[key]()
  })
  useEffect(() => {
    if (!isUsed) return undefined
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isUsed])
}

/** Takes the place of the rows that are not in the page. */
function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr aria-hidden="true">
      {/* One column wide: a cell across all would bring back those that are hidden on narrow screens, without content. */}
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null
}

interface HeaderProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

function Header<Row>({ column, sort, onSort }: HeaderProps<Row>) {
  const { key, header, hidesHeader, sortBy, width, align } = column
  if (!sortBy)
    return (
      <Table.Th w={width} ta={align} className={cellClass(column)}>
        {hidesHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
      </Table.Th>
    )
  const isSorted = sort?.key === key
  const isDescending = isSorted && sort.isDescending
  const direction = isDescending ? 'descending' : 'ascending'
  const Arrow = !isSorted ? IconArrowsSort : isDescending ? IconArrowDown : IconArrowUp
  return (
    <Table.Th w={width} ta={align} aria-sort={isSorted ? direction : 'none'} className={cellClass(column)}>
      <UnstyledButton onClick={() => onSort({ key, isDescending: isSorted && !isDescending })} fw={700} fz="sm">
        {/* The header of figures ends where they end: its arrow is in front. */}
        <Group gap={4} wrap="nowrap" style={align === 'right' ? { flexDirection: 'row-reverse' } : undefined}>
          <Text inherit>{header}</Text>
          <Arrow size={14} aria-hidden className={isSorted ? undefined : classes['sortHint']} />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}

const byText = new Intl.Collator(undefined, { numeric: true })

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: Sort | undefined): readonly Row[] {
  const sortBy = columns.find(({ key }) => key === sort?.key)?.sortBy
  if (sort === undefined || sortBy === undefined) return rows
  const direction = sort.isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: sortBy(row) }))
    .sort((a, b) => direction * compare(a.value, b.value))
    .map(({ row }) => row)
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byText.compare(String(a), String(b))
