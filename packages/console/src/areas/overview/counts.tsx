import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { Link } from 'react-router'
import { formatCount } from '../../parts/format.js'
import type { CardProps } from './card.js'
import type { Overview, PartName } from './queries.js'

type Parts = Overview['parts']

interface Count {
  readonly label: string
  readonly path: string
  readonly area: PartName
  readonly of: (parts: Parts) => number | undefined
}

const counts: readonly Count[] = [
  { label: 'Zones', path: '/dns', area: 'dns', of: ({ dns }) => dns?.zones },
  { label: 'Domains', path: '/domains', area: 'domains', of: ({ domains }) => domains?.domains },
  { label: 'Files', path: '/files', area: 'files', of: ({ files }) => files?.files },
  { label: 'Sites', path: '/sites', area: 'sites', of: ({ sites }) => sites?.sites },
  { label: 'Packages', path: '/packages', area: 'packages', of: ({ packages }) => packages?.packages },
  {
    label: 'Forms and links',
    path: '/deployments',
    area: 'deployments',
    of: ({ deployments }) => deployments?.deployments,
  },
  { label: 'Messages', path: '/messages', area: 'sms', of: ({ sms }) => sms?.messages },
  { label: 'API keys', path: '/account/keys', area: 'account', of: ({ account }) => account?.keys },
]

/** The numbers of zones, files and so on, each with a link to its page. */
export function Counts({ overview }: CardProps) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
      {counts
        .filter(({ area }) => overview === undefined || area in overview.parts)
        .map((count) => (
          <Paper
            key={count.path}
            withBorder
            px={{ base: 'xs', sm: 'md' }}
            py="sm"
            component={Link}
            to={count.path}
            c="inherit"
            td="none"
          >
            <Text size="xs" c="dimmed" fw={600}>
              {count.label}
            </Text>
            <Text size="xl" fw={600} lh={1.3} component="div">
              {overview === undefined ? (
                <Skeleton width={40} height={24} my={3} />
              ) : (
                <Value value={count.of(overview.parts)} />
              )}
            </Text>
          </Paper>
        ))}
    </SimpleGrid>
  )
}

/** @property value undefined if it could not be read */
function Value({ value }: { readonly value: number | undefined }) {
  if (value !== undefined) return formatCount(value)
  return (
    <Text size="sm" c="red" component="span">
      failed
    </Text>
  )
}
