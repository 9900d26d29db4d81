import type { Column } from '../data-table-column.js'
import { SelectAll, SelectBox } from './select-box.js'
import type { Selectable, Selection } from './use-selection.js'

/** The first column of a table whose rows can be selected. @param titleOf names a row for screen readers */
export const selectColumn = <Row extends Selectable>(
  selection: Selection<Row>,
  titleOf: (row: Row) => string,
): Column<Row> => ({
  key: 'select',
  header: 'Select',
  hidesHeader: true,
  headerControl: <SelectAll selection={selection} />,
  staysBesideLines: true,
  width: 40,
  cell: (row) => <SelectBox row={row} title={titleOf(row)} selection={selection} />,
})
