import { Group, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react'
import type { Column } from './data-table-column.js'
import { cellClass } from './data-table-rows.js'
import classes from './data-table.module.css'

export interface Sort {
  readonly key: string
  readonly isDescending: boolean
}

interface HeaderProps<Row> {
  readonly column: Column<Row>
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

/** The header of a column, with a button for each of the columns that can be sorted. */
export function Header<Row>({ column, sort, onSort }: HeaderProps<Row>) {
  const { header, hidesHeader, headerControl, width, align, sortBy, sorts: sortable = sortBy ? [column] : [] } = column
  if (sortable.length === 0)
    return (
      <Table.Th w={width} ta={align} className={cellClass(column)}>
        {hidesHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
        {headerControl}
      </Table.Th>
    )
  const isSorted = sortable.some(({ key }) => key === sort?.key)
  const direction = isSorted && sort?.isDescending ? 'descending' : 'ascending'
  return (
    <Table.Th w={width} ta={align} aria-sort={isSorted ? direction : 'none'} className={cellClass(column)}>
      <Group gap="md" wrap="nowrap" justify={align === 'right' ? 'flex-end' : undefined}>
        {sortable.map((each) => (
          <SortButton key={each.key} column={each} sort={sort} onSort={onSort} />
        ))}
      </Group>
    </Table.Th>
  )
}

function SortButton<Row>({ column: { key, header, align }, sort, onSort }: HeaderProps<Row>) {
  const isSorted = sort?.key === key
  const isDescending = isSorted && sort.isDescending
  const Arrow = !isSorted ? IconArrowsSort : isDescending ? IconArrowDown : IconArrowUp
  return (
    <UnstyledButton onClick={() => onSort({ key, isDescending: isSorted && !isDescending })} fw={700} fz="sm">
      {/* The header of figures ends where they end: its arrow is in front. */}
      <Group gap={4} wrap="nowrap" style={align === 'right' ? { flexDirection: 'row-reverse' } : undefined}>
        <Text inherit>{header}</Text>
        <Arrow size={14} aria-hidden className={isSorted ? undefined : classes['sortHint']} />
      </Group>
    </UnstyledButton>
  )
}

const byText = new Intl.Collator(undefined, { numeric: true })

export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
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
