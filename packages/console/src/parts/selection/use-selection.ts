import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react'
import { isForPage } from '../page-key.js'
import { idsBetween } from './ids-between.js'

/** A row that can be selected. */
export interface Selectable {
  readonly id: number
}

/** Which rows of a list are selected. */
export interface Selection<Row extends Selectable> {
  /** The selected rows among those that are shown, in their order. */
  readonly chosen: readonly Row[]
  /** Ids of the selected rows, also of those that a filter hides. */
  readonly ids: ReadonlySet<number>
  /** Number of rows that are shown. */
  readonly count: number
  /** The rows as the user sees them. The list sets it. */
  readonly order: RefObject<readonly Row[]>
  readonly pick: (picked: Picked) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

interface Picked {
  readonly id: number
  readonly isSelected: boolean
  /** Whether all rows from the last picked one to this one are picked. */
  readonly isRange: boolean
}

const none: ReadonlySet<number> = new Set()

/** Selects rows of a list. Escape clears the selection. @param shown the rows that pass the filter */
export function useSelection<Row extends Selectable>(shown: readonly Row[]): Selection<Row> {
  const [ids, setIds] = useState(none)
  const last = useRef<number>(undefined)
  const order = useRef(shown)
  const chosen = useMemo(() => (ids.size === 0 ? [] : shown.filter(({ id }) => ids.has(id))), [shown, ids])
  const pick = useCallback(({ id, isSelected, isRange }: Picked) => {
    const picked = isRange ? idsBetween(order.current.map(idOf), last.current, id) : [id]
    last.current = id
    setIds((before) => {
      const next = new Set(before)
      for (const each of picked) {
        if (isSelected) next.add(each)
        else next.delete(each)
      }
      return next
    })
  }, [])
  const clear = useCallback(() => {
    last.current = undefined
    setIds(none)
  }, [])
  const selectAll = useCallback(() => setIds(new Set(shown.map(idOf))), [shown])
  useEscape(chosen.length > 0, clear)
  const count = shown.length
  return useMemo(
    () => ({ chosen, ids, count, order, pick, selectAll, clear }),
    [chosen, ids, count, pick, selectAll, clear],
  )
}

const idOf = ({ id }: Selectable): number => id

function useEscape(isUsed: boolean, run: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.shiftKey && isForPage(event)) run()
  })
  useEffect(() => {
    if (!isUsed) return undefined
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isUsed])
}
