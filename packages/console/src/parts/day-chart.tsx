import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { formatDay, type DayCounts } from './day-counts.js'
import { formatCount } from './format.js'

export interface DaySeries<Name extends string> {
  readonly name: Name
  readonly label: string
  /** A color of the theme: `brand.6`. */
  readonly color: string
}

interface Props {
  readonly entries: readonly DayCounts<string>[]
  readonly series: readonly DaySeries<string>[]
  /** Says in one sentence what the chart shows, for screen readers. */
  readonly label: string
}

/** Pixels. */
const height = 220

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' })

/** Stacked bars, one for each day, in a separate chunk: load it with `DayHistory`. */
export default function DayChart({ entries, series, label }: Props) {
  return (
    // Clipped: the tooltip keeps its place when the window becomes narrower, and would make the page scroll sideways.
    <div role="img" aria-label={label} style={{ overflowX: 'clip' }}>
      <BarChart
        h={height}
        data={entries.map((entry) => ({ ...entry, day: formatDay(entry.day) }))}
        dataKey="day"
        type="stacked"
        series={[...series]}
        withLegend={series.length > 1}
        tickLine="none"
        xAxisProps={{ minTickGap: 24, interval: 'preserveEnd' }}
        yAxisProps={{ width: 40, allowDecimals: false, tickFormatter: (count: number) => compact.format(count) }}
        valueFormatter={formatCount}
        maxBarWidth={28}
        barChartProps={{ accessibilityLayer: false, margin: { top: 10 } }}
        barProps={{ isAnimationActive: false }}
      />
    </div>
  )
}
