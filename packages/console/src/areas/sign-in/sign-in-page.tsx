import { Button, Code, Text } from '@mantine/core'
import { useState } from 'react'
import { currentSession } from '../../parts/api/current-session.js'
import { queryClient } from '../../parts/api/query-client.js'
import { CredentialsForm } from './credentials-form.js'
import { DoorPage } from './door-page.js'
import { ForgottenPage } from './forgotten-page.js'
import { Help } from './help.js'

interface Props {
  /** Whether a forgotten password can be reset by e-mail. */
  readonly resetsPasswords: boolean
}

/** The door of the console. */
export function SignInPage({ resetsPasswords }: Props) {
  const [isForgotten, setIsForgotten] = useState(false)
  if (isForgotten) return <ForgottenPage onBack={() => setIsForgotten(false)} />
  return (
    <DoorPage title="Sign in to svc">
      <CredentialsForm onSignedIn={() => queryClient.refetchQueries(currentSession)} />
      {resetsPasswords ? (
        <Button variant="subtle" onClick={() => setIsForgotten(true)}>
          Forgot your password?
        </Button>
      ) : (
        <AskTheOperator />
      )}
    </DoorPage>
  )
}

function AskTheOperator() {
  return (
    <Help question="Forgot the password?">
      <Text size="sm">
        This server resets no passwords by email. Its operator sets a new password with this command, which prints it
        (in a checkout of svc, with <Code>npx</Code> in front):
      </Text>
      <Code block>svc user password you@example.com</Code>
    </Help>
  )
}
