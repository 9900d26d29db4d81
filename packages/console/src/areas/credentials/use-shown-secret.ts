import { useCallback, useEffect, useState } from 'react'

/** How long a secret stays on the screen. */
const shownMs = 30_000

/** The one credential whose secret is on the screen. It is hidden after 30 seconds, and when the user leaves the window. */
export function useShownSecret() {
  const [shownId, setShownId] = useState<number>()
  const hide = useCallback(() => setShownId(undefined), [])
  useEffect(() => {
    if (shownId === undefined) return undefined
    const timer = setTimeout(hide, shownMs)
    window.addEventListener('blur', hide)
    document.addEventListener('visibilitychange', hide)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('blur', hide)
      document.removeEventListener('visibilitychange', hide)
    }
  }, [shownId, hide])
  return { shownId, show: setShownId, hide }
}
