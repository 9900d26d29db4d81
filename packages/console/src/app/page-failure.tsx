import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { IconMoodConfuzed } from '@tabler/icons-react'
import { Link, useRouteError } from 'react-router'
import { EmptyState } from '../parts/empty-state.js'

/** An address below /console without a page. */
export function MissingPage() {
  return (
    <EmptyState
      icon={IconMoodConfuzed}
      title="There is no page at this address"
      action={
        <Button component={Link} to="/">
          Go to the overview
        </Button>
      }
    >
      The link may be old, or mistyped.
    </EmptyState>
  )
}

/** A page that failed to load or to render, such as after an update of the server. */
export function PageFailure() {
  const error = useRouteError()
  return (
    <Alert color="red" role="alert">
      <Stack align="flex-start">
        <Title order={2} size="h4">
          This page failed
        </Title>
        <Text size="sm">
          The server may have been updated while the console was open. Reload to load the current console.
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {error instanceof Error ? error.message : String(error)}
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Alert>
  )
}
