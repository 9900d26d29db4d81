import { Modal, Stack, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { failCalls, isExpired, resumeCalls, subscribeExpired } from '../app/session.js'
import { CredentialsForm } from './credentials-form.js'

/** Asks for the password in place when the session has ended. The page behind it keeps its input. */
export function SignInAgain({ email }: { readonly email: string }) {
  const isOpen = useSyncExternalStore(subscribeExpired, isExpired)
  return (
    <Modal
      opened={isOpen}
      onClose={() => failCalls(new Error('The session has ended. Sign in to continue.'))}
      title="Your session has ended"
    >
      <Stack>
        <Text size="sm">Sign in again to continue. What you have typed is kept.</Text>
        <CredentialsForm email={email} onSignedIn={resumeCalls} />
      </Stack>
    </Modal>
  )
}
