import { Accordion, Code, Text } from '@mantine/core'
import { currentSession } from '../app/current-session.js'
import { queryClient } from '../app/query-client.js'
import { CredentialsForm } from './credentials-form.js'
import { DoorPage } from './door-page.js'

/** The door of the console. */
export function SignInPage() {
  return (
    <DoorPage title="Sign in to svc">
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
    </DoorPage>
  )
}
