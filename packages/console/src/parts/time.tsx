import { Tooltip } from '@mantine/core'
import { formatRelative, formatTime } from './format.js'

/** A time relative to now; the exact time in the tooltip. @param at RFC 3339; null if unknown */
export function TimeAgo({ at, never = 'never' }: { readonly at: string | null; readonly never?: string }) {
  if (at === null) return <>{never}</>
  return (
    <Tooltip label={formatTime(at)}>
      <time dateTime={at}>{formatRelative(at)}</time>
    </Tooltip>
  )
}
