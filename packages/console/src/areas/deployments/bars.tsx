import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'

interface Props {
  readonly bars: readonly Bar[]
  /** The name of the values: "Uses" */
  readonly unit: string
  /** Says in one sentence what the chart shows, for screen readers. */
  readonly label: string
  /** In pixels. */
  readonly height: number
}

export interface Bar {
  readonly label: string
  readonly count: number
}

/** Bars to the right, one below the other, in a separate chunk: load them with `LazyBars`. */
export default function Bars({ bars, unit, label, height }: Props) {
  return (
    <div role="img" aria-label={label} style={{ overflowX: 'clip' }}>
      <BarChart
        h={height}
        data={bars.map((bar) => ({ label: bar.label, [unit]: bar.count }))}
        dataKey="label"
        series={[{ name: unit, color: 'brand.6' }]}
        orientation="vertical"
        yAxisProps={{ width: 110 }}
        xAxisProps={{ allowDecimals: false }}
        gridAxis="y"
        maxBarWidth={28}
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false, radius: [0, 4, 4, 0] }}
      />
    </div>
  )
}
