import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { useIsShown } from './use-is-shown.js'

/** Opens a page after a write, unless the user has left this one meanwhile: a late answer must not take them away from another page. */
export function useNavigateHere() {
  const navigate = useNavigate()
  const isShown = useIsShown()
  return useCallback(
    async (path: string) => {
      if (isShown()) await navigate(path)
    },
    [navigate, isShown],
  )
}
