import { Badge, Tooltip } from '@mantine/core'
import { formatRelative } from '../../parts/format.js'
import type { WebhookRequest } from './queries.js'

const stateColors = { waiting: 'yellow', delivered: 'teal', failed: 'red' } as const

/** Whether the target has accepted a request. */
export function DeliveryState({ delivery }: Pick<WebhookRequest, 'delivery'>) {
  if (delivery === null) return <>not forwarded</>
  const { state, status, error, next_attempt_at: next } = delivery
  const reason = error ?? (status === null ? undefined : `The target answered ${String(status)}.`)
  const hint = [reason, next && state === 'waiting' && `Next attempt ${formatRelative(next)}.`]
    .filter(Boolean)
    .join(' ')
  return (
    <Tooltip label={hint} disabled={hint === ''}>
      <Badge variant="dot" color={stateColors[state]} tt="none">
        {state}
      </Badge>
    </Tooltip>
  )
}
