import { Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { currentSession } from '../../parts/api/current-session.js'
import { failCalls, isExpired, resumeCalls, subscribeExpired } from '../../parts/api/session.js'
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

/** Above every dialog and notice: the command palette has Mantine's highest, 9999. */
const zIndex = 10_000

/** The place of the dialog in the document. The other dialogs share another place, which is inert while this dialog is open. */
const layer = document.body.appendChild(document.createElement('div'))

/** Makes everything beside the dialog inert: a dialog below it would take the focus, keys and clicks. */
function useInertPage(isInert: boolean): void {
  useEffect(() => {
    if (!isInert) return undefined
    // Not what is added later: a password manager shows its list beside the page.
    const rest = Array.from(document.body.querySelectorAll<HTMLElement>(':scope > :not(script)')).filter(
      (element) => element !== layer,
    )
    for (const element of rest) element.inert = true
    return () => {
      for (const element of rest) element.inert = false
    }
  }, [isInert])
}

/** Asks for the password in place when the session has ended. The page behind it keeps its input. */
export function SignInAgain({ email }: { readonly email: string }) {
  const isOpen = useSyncExternalStore(subscribeExpired, isExpired)
  useInertPage(isOpen)
  const { dataUpdatedAt } = useQuery(currentSession)
  // Another tab has signed in: both have the same cookie.
  useEffect(() => {
    if (isExpired()) resumeCalls()
  }, [dataUpdatedAt])
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title="Your session has ended"
      zIndex={zIndex}
      portalProps={{ target: layer }}
    >
      <Stack>
        <Text size="sm">Sign in again to continue. What you have typed is kept.</Text>
        <CredentialsForm email={email} onSignedIn={resumeCalls} />
      </Stack>
    </Modal>
  )
}
