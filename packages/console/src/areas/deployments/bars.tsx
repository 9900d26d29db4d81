import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'

interface Props {
  readonly bars: readonly Bar[]
  /** The name of the values: "Uses" */
  readonly unit: string
  /** Says in one sentence what the chart shows, for screen readers. */
  readonly label: string
  /** Bars to the right, one below the other, for long labels. */
  readonly isHorizontal?: boolean
}

export interface Bar {
  readonly label: string
  readonly count: number
}

const rowHeight = 36

/** A bar chart, in a separate chunk: load it with `LazyBars`. */
export default function Bars({ bars, unit, label, isHorizontal = false }: Props) {
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={isHorizontal ? bars.length * rowHeight + 40 : 180}
        data={bars.map((bar) => ({ label: bar.label, [unit]: bar.count }))}
        dataKey="label"
        series={[{ name: unit, color: 'brand.6' }]}
        orientation={isHorizontal ? 'vertical' : 'horizontal'}
        yAxisProps={{ width: isHorizontal ? 110 : 36, allowDecimals: false }}
        xAxisProps={{ allowDecimals: false }}
        gridAxis={isHorizontal ? 'y' : 'x'}
        maxBarWidth={28}
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false, radius: isHorizontal ? [0, 4, 4, 0] : [4, 4, 0, 0] }}
      />
    </div>
  )
}
