import { useEffect, useRef, type FocusEvent, type MouseEvent, type RefObject } from 'react'
import { doubleClickMs } from './repeat-guard.js'

type Key = string | number

interface Options<Row> {
  /** In the order of the table. */
  readonly sorted: readonly Row[]
  readonly rowKey: (row: Row) => Key
  readonly view: RefObject<HTMLElement | null>
}

/** How far the pointer moves during a double click, in pixels. */
const samePlacePx = 8

/**
 * For rows that leave the table: the second click of a double click does not reach the row that has moved below the pointer, and the
 * focus goes to the next row.
 */
export function useRowGuards<Row>({ sorted, rowKey, view }: Options<Row>) {
  const clicked = useRef<{ readonly key: Key; readonly x: number; readonly y: number; readonly at: number }>(undefined)
  const focused = useRef<{ readonly key: Key; readonly index: number }>(undefined)
  const rowOf = (target: EventTarget) => {
    const index =
      target instanceof Element ? Number(target.closest<HTMLElement>('[data-index]')?.dataset['index']) : NaN
    const row = sorted[index]
    return row === undefined ? undefined : { key: rowKey(row), index }
  }
  const before = useRef(sorted)
  useEffect(() => {
    const former = before.current
    before.current = sorted
    const last = focused.current
    // The body has the focus when the element that had it was removed.
    if (last === undefined || document.activeElement !== document.body) return
    const indexes = new Map(sorted.map((row, index) => [rowKey(row), index]))
    if (indexes.has(last.key)) return
    const next = former.slice(last.index).find((row) => indexes.has(rowKey(row)))
    const index = next === undefined ? sorted.length - 1 : indexes.get(rowKey(next))
    view.current?.querySelector<HTMLElement>(`[data-index="${String(index)}"] :is(a, button)`)?.focus()
  }, [sorted, rowKey, view])
  return {
    onFocus: ({ target, currentTarget }: FocusEvent) => {
      // The menu of a row is outside of the table: the focus comes back to the row.
      if (currentTarget.contains(target)) focused.current = rowOf(target)
    },
    // Without another element, the user has clicked beside all of them. React does not send it for an element that it removes.
    onBlur: ({ target, currentTarget, relatedTarget }: FocusEvent) => {
      if (relatedTarget === null && currentTarget.contains(target)) focused.current = undefined
    },
    onClickCapture: (event: MouseEvent) => {
      const row = rowOf(event.target)
      // A checkbox can be changed back. Clicks by the keyboard have no place.
      const isOnButton = event.target instanceof Element && event.target.closest('button') !== null
      if (row === undefined || !isOnButton || event.detail === 0) return
      const { clientX: x, clientY: y, timeStamp: at } = event
      const last = clicked.current
      const isRepeated = last !== undefined && at - last.at < doubleClickMs
      if (isRepeated && last.key !== row.key && Math.abs(x - last.x) + Math.abs(y - last.y) < samePlacePx) {
        event.preventDefault()
        event.stopPropagation()
      } else clicked.current = { key: row.key, x, y, at }
    },
  }
}
