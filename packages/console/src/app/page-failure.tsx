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
      The link may be old or mistyped.
    </EmptyState>
  )
}

/** A page whose code cannot be loaded, such as after an update of the server, or that failed to render. */
export function PageFailure() {
  const error = useRouteError()
  const message = error instanceof Error ? error.message : String(error)
  const isMissing = isMissingCode(message)
  return (
    <Alert color="red" role="alert">
      <Stack align="flex-start">
        <Title order={1} size="h4">
          {isMissing ? 'This page could not be loaded' : 'This page failed'}
        </Title>
        <Text size="sm">
          {isMissing
            ? 'The server was updated while the console was open, or it cannot be reached. Reload to load the current console.'
            : 'The console has a bug on this page. Reload to try again; the other pages still work.'}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Alert>
  )
}

/** The messages of Chromium, Firefox, Safari and Vite for a script or a style sheet that cannot be loaded. */
const isMissingCode = (message: string): boolean =>
  /dynamically imported module|Importing a module script failed|Unable to preload CSS/.test(message)
