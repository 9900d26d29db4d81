import { useHotkeys } from '@mantine/hooks'
import { useCallback, useEffect, useRef, useState, type ComponentType } from 'react'
import { queryClient } from '../parts/api/query-client.js'
import { isPasswordAsked } from '../parts/api/session.js'
import { notifyError } from '../parts/notify.js'
import type { PaletteProps } from './palette.js'
import { collectTypedKeys, type TypedKeys } from './typed-keys.js'

/** How long the page has nothing to do before the palette is loaded, in milliseconds, in browsers that do not tell when that is. */
const idleMs = 500

/** How often the palette looks whether the page has all of its data, in milliseconds: on a slow network, it would delay that data. */
const checkEveryMs = 1_000

/**
 * The command palette, opened by its button, or by Ctrl K (Command K on a Mac), also from a text field. It is loaded when the page has
 * its data and nothing else to do, or when it is first opened.
 */
export function usePalette() {
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>()
  const [opening, setOpening] = useState(0)
  const load = useCallback(async () => {
    const loaded = await import('./palette.js')
    setPalette(() => loaded.Palette)
  }, [])
  useEffect(
    () =>
      whenComplete(() => {
        // Opening it loads it again, and tells the error.
        load().catch(() => undefined)
      }),
    [load],
  )
  // People type without waiting until they see where.
  const endTyping = useRef<() => TypedKeys>(undefined)
  const takeTyped = useCallback(() => {
    const typed = endTyping.current?.()
    endTyping.current = undefined
    return typed
  }, [])
  const open = useCallback(() => {
    // The dialog that asks for the password is above the palette.
    if (isPasswordAsked()) return
    // Also with the focus in the palette, which may be fading out.
    endTyping.current ??= collectTypedKeys()
    load().then(
      () => setOpening((count) => count + 1),
      (error: unknown) => {
        takeTyped()
        notifyError(error)
      },
    )
  }, [load, takeTyped])
  useHotkeys([['mod+K', open]], [])
  return { Palette, opening, takeTyped, open }
}

/** @returns a function that cancels it */
function whenComplete(run: () => void): () => void {
  let cancel = () => clearInterval(timer)
  const timer = setInterval(() => {
    if (queryClient.isFetching() > 0) return
    clearInterval(timer)
    cancel = whenIdle(run)
  }, checkEveryMs)
  return () => cancel()
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
