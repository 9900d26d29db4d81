import { useSearchParams } from 'react-router'

/** A dialog that is open while the address has its name as a parameter, so that links and the back button reach it. */
export function useDialogInUrl(name: string) {
  const [parameters, setParameters] = useSearchParams()
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
    close: () =>
      setParameters(
        (now) => {
          now.delete(name)
          return now
        },
        { replace: true, preventScrollReset: true },
      ),
  }
}
