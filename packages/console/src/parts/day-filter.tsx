import { NativeSelect } from '@mantine/core'
import { formatDay } from './day-counts.js'
import { useFilter } from './url-state.js'

const dayMs = 86_400_000

/** How many days the choice has, today included. */
const choices = 30

/** A day in UTC, such as `2026-11-23`. */
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 'yyyy-mm-dd'.length)

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayAt(Date.parse(text)) === text

/** The day in UTC to which the list of a page is limited, in the address; undefined for all days. */
export function useDay(): readonly [day: string | undefined, set: (day: string) => void] {
  const [text, set] = useFilter('day')
  return [isDay(text) ? text : undefined, set]
}

/** The choice of a day for the list below a chart of days. */
export function DayFilter() {
  const [day, set] = useDay()
  const days = Array.from({ length: choices }, (_, before) => dayAt(Date.now() - before * dayMs))
  const shown = day === undefined || days.includes(day) ? days : [...days, day]
  return (
    <NativeSelect
      aria-label="Day of the list, in UTC"
      size="xs"
      value={day ?? ''}
      onChange={(event) => set(event.currentTarget.value)}
      data={[{ value: '', label: 'All days' }, ...shown.map((value) => ({ value, label: formatDay(value) }))]}
    />
  )
}
