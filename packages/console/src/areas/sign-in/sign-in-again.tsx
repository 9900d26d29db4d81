import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { currentSession } from '../../parts/api/current-session.js'
import { endedSession } from '../../parts/api/session.js'
import { CredentialsForm } from './credentials-form.js'
import { leaveOnEscape, OverPage } from './over-page.js'

const leave = () => endedSession.fail(new Error('The session has ended. Sign in to continue.'))

leaveOnEscape(endedSession, leave)

/** Asks for the password in place when the session has ended. The page behind it keeps its input. */
export function SignInAgain({ email }: { readonly email: string }) {
  const { dataUpdatedAt } = useQuery(currentSession)
  // Another tab has signed in: both have the same cookie.
  useEffect(() => {
    if (endedSession.isWaiting()) endedSession.resume()
  }, [dataUpdatedAt])
  return (
    <OverPage calls={endedSession} leave={leave} title="Your session has ended">
      <Stack>
        <Text size="sm">Sign in again to continue. What you have typed is kept.</Text>
        <CredentialsForm email={email} onSignedIn={endedSession.resume} />
      </Stack>
    </OverPage>
  )
}
