import { Anchor, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { keysQuery } from '../../../parts/keys-query.js'
import { SectionTitle } from '../../../parts/text.js'
import { useIsNarrow } from '../../../parts/use-is-narrow.js'
import { ChangeEntry, type ChangeActs } from './change-entry.js'
import { byDay } from './days.js'
import classes from './history.module.css'
import type { Change } from './queries.js'

interface Props {
  readonly zone: string
  /** Newest first. */
  readonly changes: readonly Change[]
  /** Whether no change between them is left out. */
  readonly isWhole: boolean
  readonly acts: ChangeActs
}

/** Changes of a zone by day. */
export function ChangeList({ zone, changes, isWhole, acts }: Props) {
  const isNarrow = useIsNarrow()
  const { data: keys } = useQuery(keysQuery)
  const ids = useMemo(() => keys && new Set(keys.keys.map(({ id }) => id)), [keys])
  const days = byDay(changes)
  const indexes = new Map(changes.map(({ serial }, index) => [serial, index]))
  return (
    <Stack gap="lg">
      {days.map(({ key, label, items }, at) => {
        const [last] = items
        return (
          <section key={key} aria-label={label}>
            <Group justify="space-between" gap="xs">
              <SectionTitle>{label}</SectionTitle>
              {/* Of today, it is the zone as it is now. */}
              {isWhole && at > 0 && last && isHeld(last) && (
                <Anchor component={Link} to={`/dns/${zone}/history/${String(last.serial)}`} size="sm">
                  The zone at the end of this day
                </Anchor>
              )}
            </Group>
            <ol className={classes['changes']}>
              {items.map((change) => (
                <ChangeEntry
                  key={change.serial}
                  zone={zone}
                  change={change}
                  index={indexes.get(change.serial) ?? 0}
                  isLatest={isWhole && change === changes[0]}
                  isNarrow={isNarrow}
                  hasToken={change.actor.id === null ? undefined : ids?.has(change.actor.id)}
                  acts={acts}
                />
              ))}
            </ol>
          </section>
        )
      })}
    </Stack>
  )
}

/** Whether the account held the zone after a change. */
const isHeld = ({ action }: Change): boolean => action === undefined || action === 'claim'
