import { Group, Text } from '@mantine/core'
import { IconChartBar, IconWebhook } from '@tabler/icons-react'
import { overviewDays } from '@svc/contract'
import type { DayCounts } from '../../parts/day-counts.js'
import { counted } from '../../parts/format.js'
import { Sparkline } from '../../parts/sparkline.js'
import { Card, CardText, type CardProps } from './card.js'

/** The requests for shared files in the last days. */
export function WeekOfFiles({ overview }: CardProps) {
  return (
    <Card
      title="Requests for files"
      icon={IconChartBar}
      link={{ label: 'Edge cache', path: `/files/cdn?days=${String(overviewDays)}` }}
      overview={overview}
      area="files"
    >
      {({ requests }) => <Week entries={requests} noun="request" />}
    </Card>
  )
}

/** The uses of forms, webhooks and short links in the last days. */
export function WeekOfUses({ overview }: CardProps) {
  return (
    <Card
      title="Uses of forms and links"
      icon={IconWebhook}
      link={{ label: 'All forms and links', path: '/deployments' }}
      overview={overview}
      area="deployments"
    >
      {({ uses }) =>
        uses === null ? (
          <CardText>
            You have too many forms and links to add up their uses here: each has a chart on its page.
          </CardText>
        ) : (
          <Week entries={uses} noun="use" />
        )
      }
    </Card>
  )
}

interface WeekProps {
  readonly entries: readonly DayCounts<'count'>[]
  readonly noun: string
}

function Week({ entries, noun }: WeekProps) {
  const sum = entries.reduce((total, { count }) => total + count, 0)
  const period = `in the last ${counted(entries.length, 'day')}`
  if (sum === 0) return <CardText>{`No ${noun}s ${period}.`}</CardText>
  return (
    <Group gap="md" wrap="nowrap" align="flex-end">
      <Text size="sm" style={{ flex: '0 0 auto' }} maw="50%">
        <Text span fw={600}>
          {counted(sum, noun)}
        </Text>{' '}
        {period}
      </Text>
      <div style={{ flex: 1, minWidth: 0 }}>
        <Sparkline entries={entries} noun={noun} />
      </div>
    </Group>
  )
}
