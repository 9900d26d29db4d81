/** State of a page in its address, so that links, bookmarks and the back button reach it. */

import { useSearchParams } from 'react-router'
import { useIsShown } from './use-is-shown.js'

function useParameter(name: string) {
  const [parameters, setParameters] = useSearchParams()
  const isShown = useIsShown()
  const set = (value: string | undefined, options: { readonly replace: boolean; readonly flushSync?: boolean }) => {
    // After a late answer, the address may be one of another page.
    if (!isShown()) return
    setParameters(
      () => {
        // React Router passes the parameters of the last render, which may be old in a function that a component has kept.
        const now = new URLSearchParams(location.search)
        if (value === undefined) now.delete(name)
        else now.set(name, value)
        return now
      },
      { ...options, preventScrollReset: true },
    )
  }
  return [parameters.get(name), set] as const
}

/** A filter or search of a list; empty without one. A change is not a step of the back button. */
export function useFilter(name: string): readonly [value: string, set: (value: string) => void] {
  const [value, set] = useParameter(name)
  // At once: React would put the old text back into the field, and letters that are typed fast would be lost.
  return [value ?? '', (to) => set(to === '' ? undefined : to, { replace: true, flushSync: true })]
}

/** A dialog, open while the address has its name as a parameter: `?import`. */
export function useDialogInUrl(name: string) {
  const [value, set] = useParameter(name)
  return {
    isOpen: value !== null,
    open: () => set('', { replace: false }),
    close: () => set(undefined, { replace: true }),
  }
}

/** The item of a list that is open in a dialog or a drawer: `?message=41`. */
export function useItemInUrl(name: string) {
  const [value, set] = useParameter(name)
  return {
    /** Undefined while it is closed. */
    item: value ?? undefined,
    open: (item: string | number) => set(String(item), { replace: value !== null }),
    close: () => set(undefined, { replace: true }),
  }
}
