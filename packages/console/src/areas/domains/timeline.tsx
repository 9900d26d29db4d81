import { Button, Group, Paper, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useMemo } from 'react'
import { counted, formatCount } from '../../parts/format.js'
import {
  attentionDays,
  outsidePeriods,
  periodOf,
  periodOfMonth,
  timelineMonths,
  timelineOf,
  type Period,
} from '../../parts/registration/expiry.js'
import type { Domain } from '../../parts/registration/queries.js'
import { CardTitle } from '../../parts/text.js'
import classes from './timeline.module.css'

interface Props {
  readonly domains: readonly Domain[]
  /** The part of the timeline that the list is limited to. */
  readonly chosen: Period | null
  readonly onChoose: (period: Period | null) => void
}

const outsideText: Record<(typeof outsidePeriods)[number], string> = {
  expired: 'Expired',
  after: 'Later',
  unknown: 'Unknown',
}

/** How many domains expire in each of the next months. A month with domains limits the list to them. */
export function Timeline({ domains, chosen, onChoose }: Props) {
  const counts = useMemo(() => countByPeriod(domains), [domains])
  const months = timelineOf()
  const highest = Math.max(...months.map((month) => counts.get(periodOfMonth(month)) ?? 0), 1)
  const toggle = (period: Period) => onChoose(period === chosen ? null : period)
  return (
    <Paper withBorder p="md" component="section" aria-label="Expiry dates by month">
      <Group justify="space-between" mb="sm" gap="xs">
        <CardTitle>The next {timelineMonths} months</CardTitle>
        <Group gap={6}>
          {outsidePeriods.map((period) => (
            <Button
              key={period}
              size="compact-sm"
              variant={chosen === period ? 'filled' : 'default'}
              aria-pressed={chosen === period}
              disabled={!counts.has(period)}
              onClick={() => toggle(period)}
            >
              {outsideText[period]}: {formatCount(counts.get(period) ?? 0)}
            </Button>
          ))}
        </Group>
      </Group>
      <ul className={classes['months']}>
        {months.map((month, index) => (
          <Month
            key={periodOfMonth(month)}
            month={month}
            isYearShown={index === 0 || month.getMonth() === 0}
            count={counts.get(periodOfMonth(month)) ?? 0}
            highest={highest}
            isChosen={chosen === periodOfMonth(month)}
            onChoose={() => toggle(periodOfMonth(month))}
          />
        ))}
      </ul>
      <Text size="xs" c="dimmed" mt="xs">
        Orange: the next {attentionDays} days. Choose a month to see its domains.
      </Text>
    </Paper>
  )
}

function countByPeriod(domains: readonly Domain[]): ReadonlyMap<Period, number> {
  const counts = new Map<Period, number>()
  for (const { expires_at } of domains) {
    const period = periodOf(expires_at)
    counts.set(period, (counts.get(period) ?? 0) + 1)
  }
  return counts
}

interface MonthProps {
  readonly month: Date
  readonly isYearShown: boolean
  readonly count: number
  readonly highest: number
  readonly isChosen: boolean
  readonly onChoose: () => void
}

const short = new Intl.DateTimeFormat(undefined, { month: 'short' })
const long = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' })

const barMaxPx = 34

function Month({ month, isYearShown, count, highest, isChosen, onChoose }: MonthProps) {
  const inside = (
    <span className={classes['inside']} aria-hidden="true">
      <span className={classes['room']}>
        {count > 0 && (
          <>
            {formatCount(count)}
            <span
              className={classes['bar']}
              style={{ height: (count / highest) * barMaxPx }}
              data-soon={isSoon(month) || undefined}
            />
          </>
        )}
      </span>
      <span className={classes['ground']} />
      <span className={classes['name']}>{short.format(month)}</span>
      <span className={classes['year']}>{isYearShown && month.getFullYear()}</span>
    </span>
  )
  return (
    <li>
      {count > 0 ? (
        <UnstyledButton className={classes['month']} aria-pressed={isChosen} onClick={onChoose}>
          <VisuallyHidden>{`${long.format(month)}: ${counted(count, 'domain')}`}</VisuallyHidden>
          {inside}
        </UnstyledButton>
      ) : (
        <div className={classes['month']}>{inside}</div>
      )}
    </li>
  )
}

const isSoon = (month: Date): boolean => month.getTime() < Date.now() + attentionDays * 86_400_000
