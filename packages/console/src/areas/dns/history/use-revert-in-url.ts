import { useMemo } from 'react'
import { pathIdIn } from '../../../parts/path-id.js'
import { useItemInUrl } from '../../../parts/url-state.js'
import type { ChangeActs } from './change-entry.js'
import type { Revert } from './revert.js'

/** The revert whose dialog is open, in the address: `?take-back=1795858202`, or `?return-to=1795858202` for the whole zone. */
export function useRevertInUrl(zone: string): {
  readonly revert: Revert | undefined
  readonly acts: ChangeActs
  readonly close: () => void
} {
  const [one, all] = [useItemInUrl('take-back'), useItemInUrl('return-to')]
  const [serial, to] = [pathIdIn(one.item), pathIdIn(all.item)]
  const acts = useMemo(
    () => ({ takeBack: one.open, returnTo: all.open }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the functions are new after each change of the address
    [zone],
  )
  const revert = serial === undefined ? (to === undefined ? undefined : { to }) : { serial }
  return { revert, acts, close: serial === undefined ? all.close : one.close }
}
