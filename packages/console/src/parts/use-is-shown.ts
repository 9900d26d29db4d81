import { useCallback, useEffect, useRef } from 'react'

/** Whether the component is on the page: an answer may arrive after the user has left it. */
export function useIsShown(): () => boolean {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useCallback(() => isShown.current, [])
}
