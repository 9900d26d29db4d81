import { Badge } from '@mantine/core'
import { failingCountMax } from '@svc/contract'
import { formatSince } from './moments.js'
import type { Deployment } from './queries.js'

/** `30 failing since 16:11`. */
export function FailingState({ failing: { count, since } }: { readonly failing: NonNullable<Deployment['failing']> }) {
  return (
    <Badge variant="dot" color="red">
      {count === failingCountMax ? `${String(count)} or more` : count} failing since {formatSince(since)}
    </Badge>
  )
}
