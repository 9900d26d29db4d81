import { Code, Text } from '@mantine/core'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CredentialsForm } from './credentials-form.js'
import { DoorPage } from './door-page.js'
import { Help } from './help.js'

/** The door of the console. */
export function SignInPage() {
  return (
    <DoorPage title="Sign in to svc">
      <CredentialsForm onSignedIn={() => queryClient.refetchQueries(currentSession)} />
      <Help question="Forgot the password?">
        <Text size="sm">
          This server sends no email. Its operator sets a new password with this command, which prints it (in a checkout
          of svc, with <Code>npx</Code> in front):
        </Text>
        <Code block>svc user password you@example.com</Code>
      </Help>
    </DoorPage>
  )
}
