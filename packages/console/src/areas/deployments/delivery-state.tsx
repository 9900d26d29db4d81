import { Badge, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatWait } from './moments.js'
import type { WebhookRequest } from './queries.js'

type Delivery = NonNullable<WebhookRequest['delivery']>

const stateColors = { waiting: 'yellow', failing: 'orange', delivered: 'teal', given_up: 'red' } as const

function stateText({ state, attempts, attempts_max: max }: Delivery): string {
  if (state === 'failing') return `failing (${String(attempts)} of ${String(max)})`
  if (state === 'given_up') return attempts === 0 ? 'not forwarded' : 'given up'
  return state
}

/** Whether the target has accepted a request, with the last answer in the tooltip. */
export function DeliveryState({ delivery }: Pick<WebhookRequest, 'delivery'>) {
  if (delivery === null) return <>not forwarded</>
  const { state, status, error } = delivery
  const hint = error ?? (status === null ? '' : `The target answered ${String(status)}.`)
  return (
    <Tooltip label={hint} disabled={hint === ''}>
      <Badge variant="dot" color={stateColors[state]} tt="none">
        {stateText(delivery)}
      </Badge>
    </Tooltip>
  )
}

/** The time until the next attempt, which passes each second. @param at RFC 3339 */
export function NextAttempt({ at }: { readonly at: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const left = Date.parse(at) - now
  // No live region: a screen reader would read it each second.
  return <time dateTime={at}>{left > 0 ? `Next attempt in ${formatWait(left)}` : 'Next attempt now'}</time>
}
