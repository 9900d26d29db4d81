import { Table } from '@mantine/core'
import { memo, type RefCallback } from 'react'
import type { Column } from './data-table-column.js'
import classes from './data-table.module.css'

interface RowProps<Row> {
  readonly row: Row
  /** Whether it has just been changed. */
  readonly isChanged: boolean
  /** From 0, in the order of the table. */
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly measure: RefCallback<HTMLTableRowElement> | undefined
}

function PlainRow<Row>({ row, isChanged, index, columns, measure }: RowProps<Row>) {
  return (
    <Table.Tr
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={-1}
      data-changed={isChanged || undefined}
      className={isChanged ? classes['changed'] : undefined}
      ref={measure}
    >
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
export const BodyRow = memo(PlainRow) as typeof PlainRow

export const cellClass = <Row,>({ wideOnly }: Column<Row>) => (wideOnly === true ? classes['wideOnly'] : undefined)

/** Takes the place of the rows that are not in the page. */
export function Spacer({ height }: { readonly height: number }) {
  return height > 0 ? (
    <tr aria-hidden="true">
      {/* One column wide: a cell across all would bring back those that are hidden on narrow screens, without content. */}
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null
}
