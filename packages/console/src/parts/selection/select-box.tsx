import { Checkbox } from '@mantine/core'
import type { MouseEvent } from 'react'
import type { Selectable, Selection } from './use-selection.js'

interface BoxProps<Row extends Selectable> {
  readonly row: Row
  /** Names the row for screen readers. */
  readonly title: string
  readonly selection: Pick<Selection<Row>, 'ids' | 'pick'>
}

/** Selects a row; with Shift, all rows from the last one to this one. */
export function SelectBox<Row extends Selectable>({ row: { id }, title, selection }: BoxProps<Row>) {
  return (
    <Checkbox
      size="xs"
      aria-label={`Select ${title}`}
      checked={selection.ids.has(id)}
      onMouseDown={keepText}
      onChange={({ currentTarget: { checked }, nativeEvent }) =>
        selection.pick({ id, isSelected: checked, isRange: hasShift(nativeEvent) })
      }
    />
  )
}

/** React sends the click, also the one that the browser makes of Space. */
const hasShift = (event: Event): boolean => event instanceof globalThis.MouseEvent && event.shiftKey

/** A click with Shift would also select the text from the last click to this one. */
function keepText(event: MouseEvent<HTMLInputElement>): void {
  if (!event.shiftKey) return
  event.preventDefault()
  event.currentTarget.focus()
}

interface AllProps<Row extends Selectable> {
  readonly selection: Pick<Selection<Row>, 'chosen' | 'count' | 'selectAll' | 'clear'>
  /** Beside the checkbox; for screen readers only by default. */
  readonly label?: string
}

/** Selects all rows that are shown, or none. */
export function SelectAll<Row extends Selectable>({ selection, label }: AllProps<Row>) {
  const { chosen, count, selectAll, clear } = selection
  const isAll = count > 0 && chosen.length === count
  return (
    <Checkbox
      size="xs"
      {...(label === undefined ? { 'aria-label': 'Select all' } : { label })}
      checked={isAll}
      indeterminate={chosen.length > 0 && !isAll}
      disabled={count === 0}
      onChange={isAll ? clear : selectAll}
    />
  )
}
