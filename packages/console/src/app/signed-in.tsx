import { lazy, Suspense } from 'react'
import { RouterProvider } from 'react-router/dom'
import { PasswordAgain } from '../areas/sign-in/password-again.js'
import { SignInAgain } from '../areas/sign-in/sign-in-again.js'
import { router } from './router.js'
import { useLive } from './use-live.js'

const Notices = lazy(async () => ({ default: (await import('./notices.js')).Notices }))

/** The console of a signed-in user. The page of a visitor does not load it. */
export function SignedIn({ email }: { readonly email: string }) {
  const Live = useLive()
  return (
    <>
      <RouterProvider router={router} />
      <PasswordAgain email={email} />
      <SignInAgain email={email} />
      <Suspense>
        <Notices />
      </Suspense>
      {Live && <Live />}
    </>
  )
}
