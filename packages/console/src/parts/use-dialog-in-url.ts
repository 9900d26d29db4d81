import { useSearchParams } from 'react-router'
import { useIsShown } from './use-is-shown.js'

/** A dialog that is open while the address has its name as a parameter, so that links and the back button reach it. */
export function useDialogInUrl(name: string) {
  const [parameters, setParameters] = useSearchParams()
  const isShown = useIsShown()
  return {
    isOpen: parameters.has(name),
    open: () =>
      setParameters(
        (now) => {
          now.set(name, '')
          return now
        },
        { preventScrollReset: true },
      ),
    close: () => {
      // After a late answer, the address may be one of another page.
      if (!isShown()) return
      setParameters(
        (now) => {
          now.delete(name)
          return now
        },
        { replace: true, preventScrollReset: true },
      )
    },
  }
}
