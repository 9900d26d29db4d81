import { Accordion, Center, Code, Paper, Stack, Text, Title } from '@mantine/core'
import { currentSession } from '../app/current-session.js'
import { queryClient } from '../app/query-client.js'
import { CredentialsForm } from './credentials-form.js'

/** The door of the console. */
export function SignInPage() {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Paper withBorder p="xl" w="100%" maw={400} radius="lg">
        <Stack>
          <Title order={1} size="h3">
            Sign in to svc
          </Title>
          <CredentialsForm onSignedIn={() => queryClient.refetchQueries(currentSession)} />
          <Accordion variant="default" chevronPosition="left">
            <Accordion.Item value="forgot">
              <Accordion.Control>Forgot the password?</Accordion.Control>
              <Accordion.Panel>
                <Text size="sm">
                  This server sends no email. Its operator sets a new password with this command, which prints it:
                </Text>
                <Code block mt="xs">
                  npx svc user password you@example.com
                </Code>
              </Accordion.Panel>
            </Accordion.Item>
          </Accordion>
        </Stack>
      </Paper>
    </Center>
  )
}
