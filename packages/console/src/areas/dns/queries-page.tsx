import { Alert, Paper, Stack, Table, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { DayHistory, useDaysToRead, useHistoryDays, useIsHourly } from '../../parts/day-history.js'
import { DecodedName } from '../../parts/decoded-name.js'
import { formatCount } from '../../parts/format.js'
import { Page } from '../../parts/page.js'
import { QueryView } from '../../parts/query-view.js'
import { CardTitle } from '../../parts/text.js'
import { outcomes, seriesOf, sumOf, type Series } from './queries/outcomes.js'
import { zoneQueriesQuery, type Counts } from './queries/queries.js'

/** What the nameserver has answered for a zone. */
export function QueriesPage() {
  const { zone = '' } = useParams()
  return (
    <Page
      title="Queries"
      lead={
        <>
          <DecodedName text={zone} />
          How often resolvers asked for names of the zone, and what they got. Counted once a minute, over all servers.
        </>
      }
      above={{ label: zone, path: `/dns/${zone}` }}
      requests={[{ op: areas.dns.zoneQueries, input: { zone, days: 30 } }]}
    >
      <Queries zone={zone} />
    </Page>
  )
}

const series = [
  { name: 'answers', label: 'Answers', color: 'brand.6' },
  { name: 'no_data', label: 'No data', color: 'teal.6' },
  { name: 'nxdomain', label: 'Nonexistent names', color: 'orange.6' },
  { name: 'others', label: 'Others', color: 'violet.6' },
] as const satisfies readonly { name: Series; label: string; color: string }[]

function Queries({ zone }: { readonly zone: string }) {
  const isHourly = useIsHourly()
  const shownDays = useHistoryDays()
  const daysToRead = useDaysToRead()
  const options = zoneQueriesQuery(zone, isHourly ? 1 : daysToRead)
  const whole = useQuery(options)
  const byDay = useQuery({
    ...options,
    select: (answer) => answer.days.map(({ day, counts }) => ({ day, ...seriesOf(counts) })),
  })
  const byHour = useQuery({
    ...options,
    select: (answer) =>
      answer.hours.map(({ start, counts, week_before: weekBefore }) => ({
        day: start,
        weekBefore,
        ...seriesOf(counts),
      })),
  })
  if (whole.data?.counted_by === 'powerdns') return <CountedByPowerDns />
  return (
    <Stack>
      <Paper withBorder p="md">
        <DayHistory
          title={`Queries by ${isHourly ? 'hour' : 'day'}`}
          noun="query"
          plural="queries"
          query={byDay}
          hours={byHour}
          series={series}
          hint="Each query is counted once, within a minute."
        />
      </Paper>
      <Paper withBorder p="md">
        <CardTitle>By outcome</CardTitle>
        <QueryView query={whole}>
          {({ days, hours }) => (
            <Outcomes counts={(isHourly ? hours : days.slice(-shownDays)).map(({ counts }) => counts)} />
          )}
        </QueryView>
      </Paper>
    </Stack>
  )
}

/** The sums of the period that the chart shows. */
function Outcomes({ counts }: { readonly counts: readonly Counts[] }) {
  const sums = sumOf(counts)
  return (
    <Table aria-label="Queries by outcome" mt="xs">
      <Table.Tbody>
        {outcomes.map(({ name, label, note }) => (
          <Table.Tr key={name}>
            <Table.Td>
              {label}{' '}
              <Text span size="sm" c="dimmed">
                {note}
              </Text>
            </Table.Td>
            <Table.Td ta="right">{formatCount(sums[name])}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** PowerDNS has no counts by zone. */
const CountedByPowerDns = () => (
  <Alert icon={<IconInfoCircle size={18} />} title="PowerDNS counts the queries">
    PowerDNS answers the queries, so svc cannot count them. The operator finds the counts in the API and the metrics of
    PowerDNS.
  </Alert>
)
