import { Alert, Button, Stack, Text, Title } from '@mantine/core'
import { useRouteError } from 'react-router'
import { MissingCodeError } from '../parts/api/load-code.js'

/** A page whose code cannot be loaded, such as after an update of the server, or that failed to render. */
export function PageFailure() {
  const error = useRouteError()
  const message = error instanceof Error ? error.message : String(error)
  const isMissing = error instanceof MissingCodeError || isFailedImport(message)
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

/** The messages of Chromium, Firefox and Safari for a script that cannot be loaded. */
const isFailedImport = (message: string): boolean =>
  /dynamically imported module|Importing a module script failed/.test(message)
