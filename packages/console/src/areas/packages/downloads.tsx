import { BarChart } from '@mantine/charts'
import { Stack } from '@mantine/core'
import { SectionTitle } from '../../parts/text.js'
import '@mantine/charts/styles.css'
import type { Version } from './queries.js'

const shownVersions = 12

/** Downloads of the newest versions as a chart. A default export, because it is loaded when it is shown. */
export default function Downloads({ versions }: { readonly versions: readonly Version[] }) {
  const data = versions
    .slice(0, shownVersions)
    .map(({ version, downloads }) => ({ version, downloads }))
    .reverse()
  return (
    <Stack gap="sm">
      <SectionTitle>
        {versions.length > shownVersions ? `Downloads of the last ${shownVersions} versions` : 'Downloads by version'}
      </SectionTitle>
      {/* The numbers are in the list of versions, too. */}
      <BarChart
        h={220}
        data={data}
        dataKey="version"
        series={[{ name: 'downloads', label: 'Downloads', color: 'brand.6' }]}
        yAxisProps={{ allowDecimals: false }}
        maxBarWidth={48}
        // Without it, the hidden chart would be a stop of the Tab key.
        barChartProps={{ accessibilityLayer: false }}
        barProps={{ isAnimationActive: false }}
        aria-hidden
      />
    </Stack>
  )
}
