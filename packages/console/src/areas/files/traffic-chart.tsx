import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { formatCount } from '../../parts/format.js'
import type { EdgeFile } from './queries.js'

const series = [
  { name: 'hits', label: 'From the cache', color: 'brand.6' },
  { name: 'misses', label: 'Fetched', color: 'orange.6' },
  { name: 'others', label: 'Others, such as HEAD and 304', color: 'gray.5' },
]

const longest = 22
const shorten = (name: string): string => (name.length > longest ? `${name.slice(0, longest - 1)}…` : name)

/** The requests of files as bars. */
export function TrafficChart({ files }: { readonly files: readonly EdgeFile[] }) {
  const data = files.map(({ name, requests, hits, misses }) => ({
    ...{ name: shorten(name), hits, misses },
    others: Math.max(0, requests - hits - misses),
  }))
  return (
    <BarChart
      role="img"
      aria-label="Requests by file"
      h={90 + 32 * files.length}
      data={data}
      dataKey="name"
      type="stacked"
      orientation="vertical"
      series={series}
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
