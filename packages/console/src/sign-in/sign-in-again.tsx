import { Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { currentSession } from '../app/current-session.js'
import { failCalls, isExpired, resumeCalls, subscribeExpired } from '../app/session.js'
import { CredentialsForm } from './credentials-form.js'

const leave = () => failCalls(new Error('The session has ended. Sign in to continue.'))

// Escape would also close the dialogs below, with their input: each of them listens at the window. This listener is the first one there,
// because it is added before any dialog is shown.
addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || event.isComposing || !isExpired()) return
    event.stopImmediatePropagation()
    leave()
  },
  { capture: true },
)

/** Asks for the password in place when the session has ended. The page behind it keeps its input. */
export function SignInAgain({ email }: { readonly email: string }) {
  const isOpen = useSyncExternalStore(subscribeExpired, isExpired)
  const { dataUpdatedAt } = useQuery(currentSession)
  // Another tab has signed in: both have the same cookie.
  useEffect(() => {
    if (isExpired()) resumeCalls()
  }, [dataUpdatedAt])
  return (
    <Modal opened={isOpen} onClose={leave} title="Your session has ended">
      <Stack>
        <Text size="sm">Sign in again to continue. What you have typed is kept.</Text>
        <CredentialsForm email={email} onSignedIn={resumeCalls} />
      </Stack>
    </Modal>
  )
}
