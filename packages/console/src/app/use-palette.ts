import { useHotkeys } from '@mantine/hooks'
import { useCallback, useState, type ComponentType } from 'react'
import { notifyError } from '../parts/notify.js'

/** The command palette, loaded when it is first opened: by its button, or by Ctrl K (Command K on a Mac), also from a text field. */
export function usePalette() {
  const [Palette, setPalette] = useState<ComponentType<{ readonly opening: number }>>()
  const [opening, setOpening] = useState(0)
  const open = useCallback(() => {
    import('./palette.js').then((loaded) => {
      setPalette(() => loaded.Palette)
      setOpening((count) => count + 1)
    }, notifyError)
  }, [])
  useHotkeys([['mod+K', open]], [])
  return { Palette, opening, open }
}
