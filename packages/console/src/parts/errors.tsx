import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { NoAnswerError, SvcError } from '@svc/client'
import { CopyButton } from './copy-button.js'

/** What the user reads about a failed call: the message of the server, or why there is no answer. */
export function errorText(error: unknown): string {
  if (error instanceof SvcError) return error.message
  if (error instanceof NoAnswerError) return noAnswerText[error.reason]
  return error instanceof Error ? error.message : String(error)
}

const noAnswerText = {
  network: 'The server cannot be reached. Check your connection, then try again.',
  timeout: 'The server did not answer in time. The change may have been made: reload before you repeat it.',
  answer:
    'The answer did not come from svc. The server may be restarting: try again in a minute. Otherwise a proxy in front of it is misconfigured.',
  redirect: 'The server redirected the request. Open the console at its public address.',
} as const

/** The request id under which the server's log has the error. */
export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof SvcError ? error.requestId : undefined

/** A failed call: the message, the request id for the operator, and a way to repeat it. */
export function ErrorNote({ error, retry, title }: ErrorNoteProps) {
  const requestId = requestIdOf(error)
  return (
    <Alert color="red" icon={<IconAlertCircle size={18} />} title={title} role="alert">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {errorText(error)}
      </Text>
      {requestId !== undefined && (
        <Group gap={4} mt={4}>
          <Text size="xs" c="dimmed" ff="monospace">
            {requestId}
          </Text>
          <CopyButton value={requestId}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="subtle" onClick={copy} aria-label="Copy the request id">
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </Group>
      )}
      {retry && (
        <Button size="xs" variant="default" mt="xs" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

interface ErrorNoteProps {
  readonly error: unknown
  readonly retry?: (() => void) | undefined
  readonly title?: string
}
