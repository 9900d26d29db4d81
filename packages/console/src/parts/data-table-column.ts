import type { ReactNode } from 'react'

/** A column of a `DataTable`. */
export interface Column<Row> {
  readonly key: string
  readonly header: string
  /** Leaves the header to screen readers, for a column of buttons. */
  readonly hidesHeader?: true
  /** After the header, such as a checkbox for all rows. */
  readonly headerControl?: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Makes the column sortable by this value. */
  readonly sortBy?: (row: Row) => string | number
  /** CSS width; the columns without one share the rest. */
  readonly width?: number | string
  readonly align?: 'left' | 'right'
  /** Hidden on narrow screens. */
  readonly wideOnly?: boolean
  /** For a column of controls: shown beside the lines of a row on a phone. */
  readonly staysBesideLines?: true
  /** The columns that this one stands for: its header sorts by each of them. */
  readonly sorts?: readonly Column<Row>[]
}
