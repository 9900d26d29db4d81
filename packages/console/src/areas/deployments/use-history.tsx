import { Paper } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDay } from '../../parts/day-filter.js'
import { DayHistory, useDaysToRead, useIsHourly } from '../../parts/day-history.js'
import { counted } from '../../parts/format.js'
import { recentUsesQuery, usesQuery, type Detail } from './queries.js'

type Counted = Readonly<Record<Detail['kind'], { readonly many: string; readonly noun: string; readonly hint: string }>>

const counts: Counted = {
  form: { many: 'Submissions', noun: 'submission', hint: 'Each submission is counted on its day.' },
  webhook: { many: 'Requests', noun: 'request', hint: 'Each received request is counted on its day.' },
  shortlink: { many: 'Uses', noun: 'use', hint: 'Each redirect is counted on its day, except those of crawlers.' },
}

/** The uses of a deployment by day and by hour, and the failed attempts of a webhook. */
export function UseHistory({ deployment }: { readonly deployment: Pick<Detail, 'id' | 'kind'> }) {
  const isHourly = useIsHourly()
  const query = useQuery(usesQuery(deployment, useDaysToRead(), !isHourly))
  const hours = useQuery(recentUsesQuery(deployment, isHourly))
  const [, setDay] = useDay()
  const { many, noun, hint } = counts[deployment.kind]
  return (
    <Paper withBorder p="md">
      <DayHistory
        title={`${many} by ${isHourly ? 'hour' : 'day'}`}
        noun={noun}
        query={query}
        hours={hours}
        series={[
          { name: 'uses', label: many, color: 'brand.6' },
          { name: 'failures', label: 'Failed attempts', color: 'red.6', isApart: true },
        ]}
        more={(entries) => {
          const failures = entries.reduce((sum, entry) => sum + entry.failures, 0)
          return failures === 0 ? '' : `, ${counted(failures, 'failed attempt')} to forward`
        }}
        hint={hint}
        // A short link has no list below its chart.
        {...(deployment.kind !== 'shortlink' && { onDay: setDay })}
      />
    </Paper>
  )
}
