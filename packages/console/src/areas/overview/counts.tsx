import { Paper, SimpleGrid, Skeleton, Text, Tooltip } from '@mantine/core'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from 'react-router'
import { errorText } from '../../parts/error-text.js'
import { formatCount } from '../../parts/format.js'
import { domainsQuery } from '../../parts/registration/queries.js'
import { zonesQuery } from '../dns/queries.js'
import { usageQuery } from '../files/queries.js'
import { sitesQuery } from '../sites/queries.js'
import { deploymentsQuery, messagesQuery } from './queries.js'

/** The numbers of zones, files and so on, each with a link to its page. */
export function Counts() {
  return (
    <SimpleGrid cols={{ base: 3, lg: 6 }} spacing="sm">
      <Count label="Zones" path="/dns" query={useQuery({ ...zonesQuery, select: ({ zones }) => zones.length })} />
      <Count
        label="Domains"
        path="/domains"
        query={useQuery({ ...domainsQuery, select: ({ domains }) => domains.length })}
      />
      <Count label="Files" path="/files" query={useQuery({ ...usageQuery, select: ({ files }) => files })} />
      <Count label="Sites" path="/sites" query={useQuery({ ...sitesQuery, select: ({ sites }) => sites.length })} />
      <Count label="Forms and links" path="/deployments" query={useQuery({ ...deploymentsQuery, select: totalOf })} />
      <Count label="Messages" path="/messages" query={useQuery({ ...messagesQuery, select: totalOf })} />
    </SimpleGrid>
  )
}

const totalOf = ({ total }: { readonly total: number }): number => total

interface Props {
  readonly label: string
  readonly path: string
  readonly query: UseQueryResult<number>
}

function Count({ label, path, query }: Props) {
  return (
    <Paper withBorder px={{ base: 'xs', sm: 'md' }} py="sm" component={Link} to={path} c="inherit" td="none">
      <Text size="xs" c="dimmed" fw={600}>
        {label}
      </Text>
      <Text size="xl" fw={600} lh={1.3} component="div">
        <Value query={query} />
      </Text>
    </Paper>
  )
}

function Value({ query: { data, error } }: Pick<Props, 'query'>) {
  if (data !== undefined) return formatCount(data)
  if (error === null) return <Skeleton width={40} height={24} my={3} />
  return (
    <Tooltip label={errorText(error)}>
      <Text size="sm" c="red" component="span">
        failed
      </Text>
    </Tooltip>
  )
}
