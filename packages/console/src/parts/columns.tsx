import type { ReactNode } from 'react'
import type { Column } from './data-table-column.js'
import { formatBytes, formatCount } from './format.js'
import { TimeAgo } from './time.js'

type Style<Row> = Pick<Column<Row>, 'width' | 'align' | 'wideOnly'>

/** A column of times. @param key its field */
export function timeColumn<Key extends string>(key: Key, header: string, style?: Style<unknown>) {
  const column: Column<Readonly<Record<Key, string | null>>> = {
    key,
    header,
    sortBy: (row) => row[key] ?? '',
    cell: (row) => <TimeAgo at={row[key]} />,
    ...style,
  }
  return column
}

function numberColumn<Key extends string>(format: (value: number) => string) {
  return (key: Key, header: string, style?: Style<unknown>): Column<Readonly<Record<Key, number>>> => ({
    key,
    header,
    align: 'right',
    sortBy: (row) => row[key],
    cell: (row) => format(row[key]),
    ...style,
  })
}

/** A column of numbers. @param key its field */
export const countColumn = <Key extends string>(key: Key, header: string, style?: Style<unknown>) =>
  numberColumn<Key>(formatCount)(key, header, style)

/** A column of sizes in bytes. @param key its field */
export const sizeColumn = <Key extends string>(key: Key, header: string, style?: Style<unknown>) =>
  numberColumn<Key>(formatBytes)(key, header, style)

/** The last column, with what can be done with a row. */
export const actionsColumn = <Row,>(cell: (row: Row) => ReactNode, width?: number): Column<Row> => ({
  key: 'actions',
  header: 'Actions',
  hidesHeader: true,
  staysBesideLines: true,
  align: 'right',
  cell,
  ...(width !== undefined && { width }),
})
