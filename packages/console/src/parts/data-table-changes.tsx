import { VisuallyHidden } from '@mantine/core'
import { notifyManager } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'

type Key = string | number

interface Change {
  /** Keys of the rows. */
  readonly keys: readonly Key[]
  /** Tells screen readers what the flash tells others. Undefined if a notice says it. */
  readonly text?: string
}

/** Rows that have just been changed: their table scrolls to the first one, and all of them flash. */
export interface ChangedRows extends Change {
  /** Counts the changes: the same text is read again. */
  readonly count: number
}

/** The rows of a table that have just been changed, and a function that sets them, after a change of the answer in memory. */
export function useChangedRows(): readonly [changed: ChangedRows | undefined, show: (change: Change) => void] {
  const [changed, setChanged] = useState<ChangedRows>()
  // Queries pass a change to their components later: before, the table has the row at its old place.
  const show = useCallback(
    (change: Change) =>
      notifyManager.schedule(() => setChanged((last) => ({ ...change, count: (last?.count ?? 0) + 1 }))),
    [],
  )
  return [changed, show]
}

/** Reads the changes to screen readers. It stays on the page, because a region that appears with its text may not be read. */
export const ChangeAnnouncement = ({ changed }: { readonly changed: ChangedRows | undefined }) => (
  <VisuallyHidden role="status">
    <span key={changed?.count}>{changed?.text}</span>
  </VisuallyHidden>
)

interface Options<Row> {
  readonly changed: ChangedRows | undefined
  /** In the order of the table. */
  readonly sorted: readonly Row[]
  readonly rowKey: (row: Row) => Key
  readonly reveal: (index: number) => void
}

/** As long as a row flashes, in milliseconds. */
const flashMs = 2_500
const none: ReadonlySet<Key> = new Set()

/** Reveals the first of the changed rows as soon as it is in the table. @returns the rows that flash */
export function useFlash<Row>({ changed, sorted, rowKey, reveal }: Options<Row>): ReadonlySet<Key> {
  const [flashing, setFlashing] = useState(none)
  const revealed = useRef<ChangedRows>(undefined)
  const revealNow = useEffectEvent(reveal)
  useEffect(() => {
    if (changed === undefined || changed === revealed.current) return
    const index = sorted.findIndex((row) => rowKey(row) === changed.keys[0])
    if (index === -1) return
    revealed.current = changed
    revealNow(index)
    setFlashing(new Set(changed.keys))
  }, [changed, sorted, rowKey])
  useEffect(() => {
    if (flashing.size === 0) return undefined
    const timer = setTimeout(() => setFlashing(none), flashMs)
    return () => clearTimeout(timer)
  }, [flashing])
  return flashing
}
