import { Center, Loader } from '@mantine/core'
import { SvcError } from '@svc/client'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { RouterProvider } from 'react-router/dom'
import { ErrorNote } from '../parts/errors.js'
import { SignInAgain } from '../sign-in/sign-in-again.js'
import { Visitor } from '../sign-in/visitor.js'
import { currentSession } from './current-session.js'
import { router } from './router.js'

const Notices = lazy(async () => ({ default: (await import('./notices.js')).Notices }))

/** Reloads when another account has signed in, in another tab: the page shows what belongs to the first one. */
function useOneAccount(email: string | undefined): void {
  const first = useRef(email)
  useEffect(() => {
    first.current ??= email
    if (email !== undefined && email !== first.current) location.reload()
  }, [email])
}

/** The sign-in or the first run for a visitor, the console for a signed-in user. */
export function App() {
  const session = useQuery(currentSession)
  useOneAccount(session.data?.user.email)
  if (session.data)
    return (
      <>
        <RouterProvider router={router} />
        <SignInAgain email={session.data.user.email} />
        <Suspense>
          <Notices />
        </Suspense>
      </>
    )
  if (session.error instanceof SvcError && session.error.code === 'unauthorized') return <Visitor />
  return (
    <Center mih="100dvh" p="md">
      {session.error ? (
        <ErrorNote error={session.error} retry={() => void session.refetch()} />
      ) : (
        <Loader aria-label="Loading" />
      )}
    </Center>
  )
}
