import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { formatCount } from '../../parts/format.js'
import type { EdgeFile } from './queries.js'
import { trafficSeries } from './traffic-series.js'

const longest = 22
const shorten = (name: string): string => (name.length > longest ? `${name.slice(0, longest - 1)}…` : name)

/** The requests of files as bars. */
export function TrafficChart({ files }: { readonly files: readonly EdgeFile[] }) {
  const data = files.map(({ name, requests, hits, misses }) => ({
    name: shorten(name),
    hits,
    misses,
    others: Math.max(0, requests - hits - misses),
  }))
  return (
    <BarChart
      role="img"
      aria-label="Requests by file"
      style={{ overflowX: 'clip' }}
      h={90 + 32 * files.length}
      data={data}
      dataKey="name"
      type="stacked"
      orientation="vertical"
      series={[...trafficSeries]}
      withLegend
      gridAxis="x"
      yAxisProps={{ width: 150, interval: 0 }}
      xAxisProps={{ allowDecimals: false }}
      valueFormatter={formatCount}
      barChartProps={{ accessibilityLayer: false }}
      barProps={{ isAnimationActive: false }}
      maxBarWidth={18}
    />
  )
}
