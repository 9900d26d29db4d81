import { Alert, Button, Group, Text } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'
import { CopyButton } from './copy-button.js'
import { errorText, requestIdOf } from './error-text.js'

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
  readonly title?: string | undefined
}
