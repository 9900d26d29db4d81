import { Center, Loader } from '@mantine/core'
import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks'
import { SvcError } from '@svc/client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { ErrorNote } from '../parts/errors.js'
import { ResetPage } from '../areas/sign-in/reset-page.js'
import { isResetLink } from '../areas/sign-in/reset-link.js'
import { Visitor } from '../areas/sign-in/visitor.js'
import { currentSession } from '../parts/api/current-session.js'
import { queryClient } from '../parts/api/query-client.js'

/** True while a user is signed in: then the next visit loads the code of the console at once. */
const wasSignedIn = { key: 'svc-was-signed-in', defaultValue: false }

/** The code of the console, which the page of a visitor does not need. */
const signedIn = queryOptions({
  queryKey: ['signed-in'],
  queryFn: () => import('./signed-in.js'),
  staleTime: 'static',
  gcTime: Infinity,
})

// Beside the call for the session, not after it. `App` shows a failure.
if (readLocalStorageValue(wasSignedIn)) queryClient.query(signedIn).catch(() => undefined)

/** Reloads when another account has signed in, in another tab: the page shows what belongs to the first one. */
function useOneAccount(id: number | undefined): void {
  const first = useRef(id)
  useEffect(() => {
    first.current ??= id
    if (id !== undefined && id !== first.current) location.reload()
  }, [id])
}

/** The page of a link that resets a password, also for a signed-in user; otherwise the sign-in or the console. */
export function App() {
  return isResetLink ? <PasswordReset /> : <SignInOrConsole />
}

/** Removes what the page shows until its scripts run. */
function useWithoutOutline(hasContent: boolean): void {
  useLayoutEffect(() => {
    if (hasContent) document.getElementById('outline')?.remove()
  }, [hasContent])
}

function PasswordReset() {
  useWithoutOutline(true)
  return <ResetPage />
}

/** The sign-in or the first run for a visitor, the console for a signed-in user. */
function SignInOrConsole() {
  const session = useQuery(currentSession)
  const email = session.data?.user.email
  // Not the email, which the user can change.
  useOneAccount(session.data?.user.id)
  const code = useQuery({ ...signedIn, enabled: email !== undefined })
  const isVisitor = email === undefined && session.error instanceof SvcError && session.error.code === 'unauthorized'
  const [, setWasSignedIn] = useLocalStorage(wasSignedIn)
  useEffect(() => {
    if (email !== undefined || isVisitor) setWasSignedIn(email !== undefined)
  }, [email, isVisitor, setWasSignedIn])

  useWithoutOutline((email !== undefined && Boolean(code.data)) || Boolean(session.error) || Boolean(code.error))

  if (email !== undefined && code.data) return <code.data.SignedIn email={email} />
  if (isVisitor) return <Visitor />
  return (
    <Center mih="100dvh" p="md">
      {session.error ? (
        <ErrorNote error={session.error} retry={() => void session.refetch()} />
      ) : code.error ? (
        <ErrorNote title="The console could not be loaded" error={code.error} retry={() => void code.refetch()} />
      ) : (
        <Loader aria-label="Loading" />
      )}
    </Center>
  )
}
