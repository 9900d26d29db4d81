import { Accordion, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { CodeSample } from '../../parts/code-sample.js'
import { Note } from '../../parts/text.js'
import { formatDuration, formatMoment } from './moments.js'
import type { RequestDetail } from './queries.js'

type Attempt = RequestDetail['history'][number]

/** The attempts to forward a request, newest first; an opened one shows what the target has answered. */
export function Attempts({ history }: Pick<RequestDetail, 'history'>) {
  if (history.length === 0) return null
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Attempts
      </Title>
      <Accordion variant="contained" multiple order={4} chevronPosition="left">
        {history.map((attempt) => (
          <Accordion.Item key={attempt.started_at} value={attempt.started_at}>
            <Accordion.Control>
              <Head {...attempt} />
            </Accordion.Control>
            <Accordion.Panel>
              <Answer {...attempt} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  )
}

function Head({ started_at, duration_ms, status, error }: Attempt) {
  return (
    <Group gap="xs">
      <Badge variant="dot" color={error === null ? 'teal' : 'red'}>
        {status === null ? 'no answer' : String(status)}
      </Badge>
      <Text size="sm" component="time" dateTime={started_at}>
        {formatMoment(started_at)}
      </Text>
      <Note>{formatDuration(duration_ms)}</Note>
      {status === null && error !== null && <Text size="sm">{error}</Text>}
    </Group>
  )
}

/** The answer is the target's text: it is shown as it is, never as a page. */
function Answer({ answer }: Attempt) {
  if (answer === null) return <Note>The target has not answered.</Note>
  if (answer === '') return <Note>The answer has no body.</Note>
  return (
    <Stack gap={4}>
      <Note>The first 1 KiB of the answer</Note>
      <CodeSample code={answer} what="the answer" />
    </Stack>
  )
}
