import { Paper, Title } from '@mantine/core'
import { LazyBars } from './lazy-bars.js'
import type { Deployment } from './queries.js'

/** Few enough that the first rows of the table below are in view. */
const barsMax = 5

/** Characters that fit beside a bar. */
const labelMax = 14
const shortened = (slug: string): string => (slug.length <= labelMax ? slug : `${slug.slice(0, labelMax - 1)}…`)

/** The deployments with the most uses, as bars. */
export function MostUsed({ deployments }: { readonly deployments: readonly Deployment[] }) {
  const used = deployments
    .filter(({ uses }) => uses > 0)
    .sort((a, b) => b.uses - a.uses)
    .slice(0, barsMax)
  if (used.length === 0) return null
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h5" mb="sm">
        Most used
      </Title>
      <LazyBars
        unit="Uses"
        label={`Uses: ${used.map(({ slug, uses }) => `${slug} ${String(uses)}`).join(', ')}`}
        bars={used.map(({ slug, uses }) => ({ label: shortened(slug), count: uses }))}
      />
    </Paper>
  )
}
