import { useEffect, useEffectEvent, useLayoutEffect, useState, type RefObject } from 'react'
import { isForPage } from './page-key.js'
import { places } from './places.js'
import { headerHeight } from './shell-sizes.js'

const defaultHeight = 43

/**
 * The height of most rows, in pixels: of those that are in view when the table is first shown.
 * @param layout the table's label, and how its rows are laid out
 */
export function useRowHeight(layout: string, view: RefObject<HTMLElement | null>): number {
  const [, setMeasured] = useState<number>()
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- after each render, until rows are in the page
  useLayoutEffect(() => {
    if (places.rowHeights[layout] !== undefined) return
    const rows = [...(view.current?.querySelectorAll<HTMLElement>('tr[data-index]') ?? [])]
    if (rows.length === 0) return
    const smallest = Math.min(...rows.map(({ offsetHeight }) => offsetHeight))
    // So that the way back finds the same place.
    places.rowHeights[layout] = smallest
    setMeasured(smallest)
  })
  return places.rowHeights[layout] ?? defaultHeight
}

/**
 * Handles the keys that scroll the page to its start or end. The browser's own scrolling stops on the way, because each measured row changes
 * the height of the page.
 */
export function useScrollKeys(isUsed: boolean, scroll: Readonly<Record<'Home' | 'End', () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { key, shiftKey } = event
    if ((key !== 'Home' && key !== 'End') || shiftKey || !isForPage(event)) return
    event.preventDefault()
    scroll[key]()
  })
  useEffect(() => {
    if (!isUsed) return undefined
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isUsed])
}

/** Whether a row is whole in view, between the bar of the page with a table's header, and the end of the window. */
export function isInView(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect()
  return top >= headerHeight + defaultHeight && bottom <= innerHeight
}
