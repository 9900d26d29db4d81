import { Stack, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { TimeAgo } from '../../parts/time.js'
import { EventSentence } from '../activity/event-sentence.js'
import { Card, CardText, type CardProps } from './card.js'

/** What was done last in the account. */
export function RecentActivity({ overview }: CardProps) {
  return (
    <Card
      title="Recent activity"
      icon={IconHistory}
      link={{ label: 'All activity', path: '/activity' }}
      overview={overview}
      area="account"
    >
      {({ events }) =>
        events.length === 0 ? (
          <CardText>What you, your API keys and the operator do appears here.</CardText>
        ) : (
          <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {events.map((event) => (
              <Text key={event.id} size="sm" component="li" style={{ overflowWrap: 'anywhere' }}>
                <EventSentence event={event} />{' '}
                <Text span size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  <TimeAgo at={event.at} />
                </Text>
              </Text>
            ))}
          </Stack>
        )
      }
    </Card>
  )
}
