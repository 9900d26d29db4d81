import { useMemo } from 'react'
import type { ChangedRows } from './data-table-changes.js'
import { useItemInUrl } from './url-state.js'

/** The row whose id the address has, such as `?key=7`: its table scrolls to it, and it flashes. */
export function useRowInUrl(name: string): ChangedRows | undefined {
  const { item } = useItemInUrl(name)
  return useMemo(() => (item === undefined ? undefined : { keys: [Number(item)], count: 1 }), [item])
}
