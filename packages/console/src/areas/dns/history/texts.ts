import { counted } from '../../../parts/format.js'
import type { Counts } from './diff.js'
import type { Change } from './queries.js'

/** What the timeline says about a change. Pure. */

type Action = NonNullable<Change['action']>

const actionTexts: Readonly<Record<Action, string>> = {
  claim: 'The zone was verified for this account.',
  release: 'The claim ended. The records were kept.',
  lost: 'Another account was verified for the zone.',
  delete: 'The operator deleted the zone.',
}

/** What a change did to the right to the zone; undefined for a change of records alone. */
export const actionText = ({ action }: Pick<Change, 'action'>): string | undefined => action && actionTexts[action]

/** `2 values added, 1 removed`: for changes that are too long to be seen at once. */
export function countText({ added, removed, replaced, ttl }: Counts): string {
  const parts = [
    added > 0 && `${counted(added, 'value')} added`,
    removed > 0 && `${counted(removed, 'value')} removed`,
    replaced > 0 && `${counted(replaced, 'value')} replaced`,
    ttl > 0 && `${counted(ttl, 'TTL')} changed`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}
