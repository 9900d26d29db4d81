import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { historyDaysDefault } from '@svc/contract'
import type { DaySeries } from './day-chart.js'
import { dayChoices, daysIn, daysToRead, describeDays, withDaysBefore, type DayCounts } from './day-counts.js'
import { counted, formatCount } from './format.js'
import { QueryView } from './query-view.js'
import { CardTitle } from './text.js'

const DayChart = lazy(() => import('./day-chart.js'))

const parameter = 'days'

/** How many days the histories of a page show: a choice in the address. */
const useHistoryDays = (): number => daysIn(useSearchParams()[0].get(parameter))

/** How many days a page reads for its histories. */
export const useDaysToRead = (): number => daysToRead(useHistoryDays())

interface Props<Name extends string> {
  /** What the chart shows: "Requests by day". */
  readonly title: string
  /** Name of the counted events, in the singular: "request". */
  readonly noun: string
  /** The days of `useDaysToRead`. */
  readonly query: UseQueryResult<readonly DayCounts<Name>[]>
  readonly series: readonly DaySeries<Name>[]
  /** Continues the sentence about the sum: ", 91% hit rate". */
  readonly more?: (entries: readonly DayCounts<Name>[]) => string
  /** When days get counts, in one sentence: for a history of zeros. */
  readonly hint: string
  /** Called with the day, such as `2026-11-23`, when its bar is clicked. */
  readonly onDay?: (day: string) => void
}

/** Counts by day as a chart, with the choice of days. The caller gives it a frame. */
export function DayHistory<Name extends string>({ title, query, ...rest }: Props<Name>) {
  return (
    <>
      <Group justify="space-between" gap="xs" mb="sm">
        <CardTitle>{title}</CardTitle>
        <DaysChoice />
      </Group>
      <QueryView query={query} skeleton={<Waiting />}>
        {(all) => <Days all={all} title={title} {...rest} />}
      </QueryView>
    </>
  )
}

type DaysProps<Name extends string> = Omit<Props<Name>, 'query'> & { readonly all: readonly DayCounts<Name>[] }

function Days<Name extends string>({ all, title, noun, series, more, hint, onDay }: DaysProps<Name>) {
  const names = series.map(({ name }) => name)
  const { entries, before } = withDaysBefore(all, useHistoryDays(), names)
  const { total, most } = describeDays(entries, names)
  const period = `in the last ${counted(entries.length, 'day')}`
  if (total === 0)
    return (
      <Text size="sm" c="dimmed" ta="center" py="lg">
        No {noun}s {period}. {hint}
      </Text>
    )
  const earlier = before.reduce((sum, count) => sum + count, 0)
  const comparison =
    before.length === 0 ? '' : `, ${formatCount(earlier)} in the ${counted(before.length, 'day')} before`
  const sums = `${counted(total, noun)} ${period}${comparison}${more?.(entries) ?? ''}`
  return (
    <>
      <Text size="sm" mb="xs">
        {sums}{' '}
        <Text span inherit c="dimmed">
          (days in UTC)
        </Text>
      </Text>
      <Suspense fallback={<Waiting />}>
        <DayChart
          entries={entries}
          series={series}
          before={before}
          label={`${title}: ${sums}, ${most}`}
          onDay={onDay}
        />
      </Suspense>
    </>
  )
}

const Waiting = () => <Skeleton height={220} />

function DaysChoice() {
  const [parameters, setParameters] = useSearchParams()
  const choose = (days: number) =>
    setParameters(
      (now) => {
        if (days === historyDaysDefault) now.delete(parameter)
        else now.set(parameter, String(days))
        return now
      },
      { replace: true, preventScrollReset: true },
    )
  return (
    <SegmentedControl
      aria-label="Days of the chart"
      size="xs"
      value={String(daysIn(parameters.get(parameter)))}
      onChange={(value) => choose(Number(value))}
      data={dayChoices.map((days) => ({ value: String(days), label: `${String(days)} days` }))}
    />
  )
}
