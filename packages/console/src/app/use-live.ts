import { useEffect, useState, type ComponentType } from 'react'
import { queryClient } from '../parts/api/query-client.js'
import { router } from './router.js'

/** How often the page is looked at, in milliseconds. */
const checkEveryMs = 500

/** So many times in a row, the page has nothing to read before its code and its connection are used for something else. */
const idleChecks = 3

/** `Live`, which is loaded when the page has its data: its connection does not compete with them. */
export function useLive(): ComponentType | undefined {
  const [Live, setLive] = useState<ComponentType>()
  useEffect(
    () =>
      whenRead(() => {
        // Without it, pages are read again when they get the focus.
        import('./live.js').then((loaded) => setLive(() => loaded.Live)).catch(() => undefined)
      }),
    [],
  )
  return Live
}

const isReading = (): boolean =>
  !router.state.initialized || router.state.navigation.state !== 'idle' || queryClient.isFetching() > 0

/** @returns a function that cancels it */
function whenRead(run: () => void): () => void {
  let checks = 0
  const timer = setInterval(() => {
    checks = isReading() ? 0 : checks + 1
    if (checks < idleChecks) return
    clearInterval(timer)
    run()
  }, checkEveryMs)
  return () => clearInterval(timer)
}
