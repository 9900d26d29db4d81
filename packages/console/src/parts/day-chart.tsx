import '@mantine/charts/styles.css'
import { CompositeChart } from '@mantine/charts'
import { formatEntry, type DayCounts } from './day-counts.js'
import { formatCount } from './format.js'

export interface DaySeries<Name extends string> {
  readonly name: Name
  readonly label: string
  /** A color of the theme: `brand.6`. */
  readonly color: string
  /** Counts something else than the other series: beside their bars, and not in the sum. */
  readonly isApart?: boolean
}

interface Props {
  readonly entries: readonly DayCounts<string>[]
  readonly series: readonly DaySeries<string>[]
  /** The total before each entry; empty if unknown. */
  readonly before: readonly number[]
  /** Name of these totals: "The 7 days before". */
  readonly beforeLabel: string
  /** Called with the day of an entry when its bar is clicked. */
  readonly onDay?: ((day: string) => void) | undefined
  /** Says in one sentence what the chart shows, for screen readers. */
  readonly label: string
}

/** Pixels. */
const height = 220

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** The key of `before` in the data of the chart. */
const beforeKey = 'before'

/** Stacked bars, one for each day or hour, and the totals before as a line. In a separate chunk: load it with `DayHistory`. */
export default function DayChart({ entries, series, before, beforeLabel, label, onDay }: Props) {
  const hasBefore = before.some((count) => count > 0)
  const apart = new Set(series.filter(({ isApart }) => isApart).map(({ name }) => name))
  const line = { name: beforeKey, label: beforeLabel, color: 'gray.6', type: 'line', strokeDasharray: '4 4' } as const
  // Of the bars, not of the chart: on a touch screen, the chart does not know the day of a click.
  const clicks = onDay && {
    cursor: 'pointer',
    onClick: (_bar: unknown, index: number) => {
      const day = entries[index]?.day
      if (day !== undefined) onDay(day)
    },
  }
  return (
    // Clipped: the tooltip keeps its place when the window becomes narrower, and would make the page scroll sideways.
    <div role="img" aria-label={label} style={{ overflowX: 'clip' }}>
      <CompositeChart
        h={height}
        data={entries.map((entry, index) => ({ ...entry, day: formatEntry(entry.day), [beforeKey]: before[index] }))}
        dataKey="day"
        series={[...series.map((each) => ({ ...each, type: 'bar' as const })), ...(hasBefore ? [line] : [])]}
        withLegend={series.length > 1 || hasBefore}
        withDots={false}
        curveType="linear"
        tickLine="none"
        xAxisProps={{ minTickGap: 24, interval: 'preserveEnd' }}
        yAxisProps={{ width: 48, allowDecimals: false, tickFormatter: (count: number) => compact.format(count) }}
        valueFormatter={formatCount}
        maxBarWidth={28}
        composedChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        barProps={({ name }) => ({ isAnimationActive: false, stackId: apart.has(name) ? name : 'day', ...clicks })}
        lineProps={{ isAnimationActive: false }}
      />
    </div>
  )
}
