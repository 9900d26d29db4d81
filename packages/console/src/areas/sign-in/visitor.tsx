import { Center, Loader } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { client } from '../../parts/api/client.js'
import { FirstRunPage } from './first-run-page.js'
import { SignInPage } from './sign-in-page.js'

const setupStatus = queryOptions({
  queryKey: ['setup', 'status'],
  queryFn: () => client.setup.status(),
  // Only the first answer counts, also after an outage: a form that is being filled in does not disappear.
  staleTime: 'static',
})

/** What a visitor sees: the first run on an empty server, otherwise the sign-in. */
export function Visitor() {
  const { data, isPending, refetch } = useQuery(setupStatus)
  if (isPending)
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    )
  return data?.needed ? (
    <FirstRunPage onNotNeeded={() => void refetch()} />
  ) : (
    <SignInPage resetsPasswords={data?.password_reset ?? false} />
  )
}
