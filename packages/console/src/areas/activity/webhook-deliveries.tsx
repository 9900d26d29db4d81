import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { CodeSample } from '../../parts/code-sample.js'
import { QueryView } from '../../parts/query-view.js'
import { Note } from '../../parts/text.js'
import { TimeAgo } from '../../parts/time.js'
import classes from './activity.module.css'
import { chosenText } from './chosen-events.js'
import { deliveriesQuery, type Delivery } from './webhook-queries.js'

/** The last deliveries of a webhook, newest first. */
export function WebhookDeliveries({ id }: { readonly id: number }) {
  const query = useQuery(deliveriesQuery(id))
  return (
    <QueryView query={query}>
      {({ deliveries }) =>
        deliveries.length === 0 ? (
          <Note>Nothing has been sent yet.</Note>
        ) : (
          <ul className={classes['list']} aria-label="Deliveries">
            {deliveries.map((delivery) => (
              <li key={delivery.event_id} className={classes['event']}>
                <Row delivery={delivery} />
              </li>
            ))}
          </ul>
        )
      }
    </QueryView>
  )
}

const colors = { waiting: 'yellow', failing: 'orange', delivered: 'teal', given_up: 'red' } as const

function stateText({ state, attempts, attempts_max: max }: Delivery): string {
  if (state === 'failing') return `failing (${String(attempts)} of ${String(max)})`
  return state === 'given_up' ? 'given up' : state
}

const eventText = ({ event_id: id, area, action, object }: Delivery): string =>
  area === null || action === null
    ? `Event ${String(id)}, which is not kept any more`
    : `${chosenText(`${area}.${action}`)}${object === null || object === '' ? '' : `, ${object}`}`

function Row({ delivery }: { readonly delivery: Delivery }) {
  const { state, error, answer, next_attempt_at: next } = delivery
  return (
    <Stack gap={4}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {eventText(delivery)}
        </Text>
        <Group gap="xs">
          <Badge variant="dot" color={colors[state]} tt="none">
            {stateText(delivery)}
          </Badge>
          <Note>
            <TimeAgo at={delivery.updated_at} />
          </Note>
        </Group>
      </Group>
      {error !== null && (
        <Note>
          {error}{' '}
          {next !== null && (
            <>
              Next attempt <TimeAgo at={next} />.
            </>
          )}
        </Note>
      )}
      {error !== null && answer !== null && answer !== '' && <CodeSample code={answer} what="the answer" />}
    </Stack>
  )
}
