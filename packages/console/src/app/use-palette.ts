import { useHotkeys } from '@mantine/hooks'
import { useCallback, useEffect, useState, type ComponentType } from 'react'
import { notifyError } from '../parts/notify.js'

/** How long the page has nothing to do before the palette is loaded, in milliseconds, in browsers that do not tell when that is. */
const idleMs = 500

/**
 * The command palette, opened by its button, or by Ctrl K (Command K on a Mac), also from a text field. It is loaded when the page has
 * nothing else to do, or when it is first opened.
 */
export function usePalette() {
  const [Palette, setPalette] = useState<ComponentType<{ readonly opening: number }>>()
  const [opening, setOpening] = useState(0)
  const load = useCallback(async () => {
    const loaded = await import('./palette.js')
    setPalette(() => loaded.Palette)
  }, [])
  useEffect(
    () =>
      whenIdle(() => {
        // Opening it loads it again, and tells the error.
        load().catch(() => undefined)
      }),
    [load],
  )
  const open = useCallback(() => {
    load().then(() => setOpening((count) => count + 1), notifyError)
  }, [load])
  useHotkeys([['mod+K', open]], [])
  return { Palette, opening, open }
}

/** @returns a function that cancels it */
function whenIdle(run: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(run, idleMs)
    return () => clearTimeout(timer)
  }
  const idle = requestIdleCallback(run)
  return () => cancelIdleCallback(idle)
}
