import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { historyDaysDefault } from '@svc/contract'
import type { DaySeries } from './day-chart.js'
import {
  dayChoices,
  daysIn,
  daysToRead,
  describeDays,
  withDaysBefore,
  withWeekBefore,
  type DayCounts,
  type History,
  type HourCounts,
} from './day-counts.js'
import { counted, formatCount } from './format.js'
import { QueryView } from './query-view.js'
import { CardTitle } from './text.js'

const DayChart = lazy(() => import('./day-chart.js'))

const parameter = 'days'

/** The value of the parameter for the last 24 hours. */
const lastHours = '24h'

/** How many days the histories of a page show: a choice in the address. */
export const useHistoryDays = (): number => daysIn(useSearchParams()[0].get(parameter))

/** Whether the page shows the last 24 hours instead of days. */
export const useIsHourly = (): boolean => useSearchParams()[0].get(parameter) === lastHours

/** How many days a page reads for its histories. */
export const useDaysToRead = (): number => daysToRead(useHistoryDays())

interface Props<Name extends string> {
  /** What the chart shows: "Requests by day". */
  readonly title: string
  /** Name of the counted events, in the singular: "request". */
  readonly noun: string
  /** The noun with an s by default. */
  readonly plural?: string
  /** The days of `useDaysToRead`. */
  readonly query: UseQueryResult<readonly DayCounts<Name>[]>
  /** The last 24 hours, read while `useIsHourly`; undefined if the server does not count by hour. */
  readonly hours?: UseQueryResult<readonly HourCounts<Name>[]>
  readonly series: readonly DaySeries<Name>[]
  /** Continues the sentence about the sum: ", 91% hit rate". */
  readonly more?: (entries: readonly DayCounts<Name>[]) => string
  /** When days get counts, in one sentence: for a history of zeros. */
  readonly hint: string
  /** Called with the day in UTC, such as `2026-11-23`, when its bar, or that of one of its hours, is clicked. */
  readonly onDay?: (day: string) => void
}

/** Counts by day or hour as a chart, with the choice of the period. The caller gives it a frame. */
export function DayHistory<Name extends string>({ title, query, hours, ...rest }: Props<Name>) {
  const days = useHistoryDays()
  const isHourly = useIsHourly() && hours !== undefined
  const names = summed(rest.series)
  return (
    <>
      <Group justify="space-between" gap="xs" mb="sm">
        <CardTitle>{title}</CardTitle>
        <PeriodChoice hasHours={hours !== undefined} />
      </Group>
      {isHourly ? (
        <QueryView query={hours} skeleton={<Waiting />}>
          {(all) => <Counts history={withWeekBefore(all)} title={title} {...rest} />}
        </QueryView>
      ) : (
        <QueryView query={query} skeleton={<Waiting />}>
          {(all) => <Counts history={withDaysBefore(all, days, names)} title={title} {...rest} />}
        </QueryView>
      )}
    </>
  )
}

/** The names of the series that make the total. */
const summed = <Name extends string>(series: readonly DaySeries<Name>[]): Name[] =>
  series.filter(({ isApart }) => !isApart).map(({ name }) => name)

type CountsProps<Name extends string> = Omit<Props<Name>, 'query' | 'hours'> & { readonly history: History<Name> }

function Counts<Name extends string>({ history, title, noun, plural, series, more, hint, onDay }: CountsProps<Name>) {
  const { unit, entries, before } = history
  const { total, most } = describeDays(entries, summed(series))
  const shown = series.filter(({ name, isApart }) => !isApart || entries.some((entry) => entry[name] > 0))
  const period = `in the last ${counted(entries.length, unit)}`
  // Without uses, there may be failed attempts of earlier requests.
  if (total === 0 && shown.every(({ isApart }) => !isApart))
    return (
      <Text size="sm" c="dimmed" ta="center" py="lg">
        No {plural ?? `${noun}s`} {period}. {hint}
      </Text>
    )
  const earlier = before.reduce((sum, count) => sum + count, 0)
  const beforeName = unit === 'hour' ? 'a week before' : `in the ${counted(before.length, 'day')} before`
  const comparison = before.length === 0 ? '' : `, ${formatCount(earlier)} ${beforeName}`
  const sums = `${counted(total, noun, plural)} ${period}${comparison}${more?.(entries) ?? ''}`
  return (
    <>
      <Text size="sm" mb="xs">
        {sums}{' '}
        {(unit === 'day' || onDay !== undefined) && (
          <Text span inherit c="dimmed">
            {unit === 'day' ? '(days in UTC)' : '(click an hour to list its whole day, in UTC)'}
          </Text>
        )}
      </Text>
      <Suspense fallback={<Waiting />}>
        <DayChart
          entries={entries}
          series={shown}
          before={before}
          beforeLabel={unit === 'hour' ? 'A week before' : `The ${String(before.length)} days before`}
          label={[`${title}: ${sums}`, most].filter(Boolean).join(', ')}
          onDay={onDay && ((day) => onDay(day.slice(0, 'yyyy-mm-dd'.length)))}
        />
      </Suspense>
    </>
  )
}

const Waiting = () => <Skeleton height={220} />

function PeriodChoice({ hasHours }: { readonly hasHours: boolean }) {
  const [parameters, setParameters] = useSearchParams()
  const isHourly = useIsHourly() && hasHours
  const choose = (period: string) =>
    setParameters(
      (now) => {
        if (period === String(historyDaysDefault)) now.delete(parameter)
        else now.set(parameter, period)
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  const days = dayChoices.map((count) => ({ value: String(count), label: `${String(count)} days` }))
  return (
    <SegmentedControl
      aria-label="Period of the chart"
      size="xs"
      value={isHourly ? lastHours : String(daysIn(parameters.get(parameter)))}
      onChange={choose}
      data={hasHours ? [{ value: lastHours, label: '24 hours' }, ...days] : days}
    />
  )
}
