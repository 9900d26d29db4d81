import { Button, Stack, Text } from '@mantine/core'
import { areas } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../../parts/api/query-client.js'
import { QueryView } from '../../parts/query-view.js'
import { timeQuery, timestampQuery } from './queries.js'
import { ResultLine, ToolCard } from './tool-card.js'

/** Closer than this, the difference may be the time that the answer took. In milliseconds. */
const notableMs = 2_000

/** The time of the server. */
export function TimeTool() {
  const time = useQuery(timeQuery)
  const timestamp = useQuery(timestampQuery)
  const readAgain = () =>
    void Promise.all([queryClient.invalidateQueries(timeQuery), queryClient.invalidateQueries(timestampQuery)])
  return (
    <ToolCard
      id="time"
      title="Time"
      requests={[{ op: areas.public.time }, { op: areas.public.timestamp }]}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={readAgain}
          loading={time.isFetching || timestamp.isFetching}
        >
          Refresh the time
        </Button>
      }
    >
      <Stack gap="xs">
        <QueryView query={time}>
          {({ iso8601, rfc2822, unix_ms: serverMs, receivedAt }) => (
            <>
              <ResultLine label="ISO 8601" value={iso8601} />
              <ResultLine label="RFC 2822" value={rfc2822} />
              <Text size="sm">{clockText(receivedAt - serverMs)}</Text>
            </>
          )}
        </QueryView>
        <QueryView query={timestamp}>
          {({ unix, unix_ms: unixMs }) => (
            <>
              <ResultLine label="Unix timestamp" value={String(unix)} />
              <ResultLine label="In milliseconds" value={String(unixMs)} />
            </>
          )}
        </QueryView>
      </Stack>
    </ToolCard>
  )
}

/** @param differenceMs how far the clock of the browser is ahead of the server's */
function clockText(differenceMs: number): string {
  if (Math.abs(differenceMs) < notableMs) return 'The clock of this device agrees with the server.'
  const seconds = Math.round(Math.abs(differenceMs) / 1000).toLocaleString()
  return `The clock of this device is ${seconds} seconds ${differenceMs > 0 ? 'ahead of' : 'behind'} the server.`
}
