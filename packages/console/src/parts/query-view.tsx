import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote } from './errors.js'

interface Props<Data> {
  readonly query: UseQueryResult<Data>
  /** Until the first answer; lines by default. */
  readonly skeleton?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** Shows the answer of a read: a skeleton until it is there, an error with a way to repeat it. Old data stays while it is read again. */
export function QueryView<Data>({ query, skeleton = <Lines />, children }: Props<Data>) {
  if (query.data !== undefined)
    return (
      <>
        {query.isError && (
          <ErrorNote error={query.error} retry={() => void query.refetch()} title="This may be out of date" />
        )}
        {children(query.data)}
      </>
    )
  if (query.isError) return <ErrorNote error={query.error} retry={() => void query.refetch()} />
  return <div aria-busy="true">{skeleton}</div>
}

/** The shape of a list that is loading. */
export function Lines({ count = 6 }: { readonly count?: number }) {
  return (
    <Stack gap="sm" aria-label="Loading" role="status">
      {Array.from({ length: count }, (_, line) => (
        <Skeleton key={line} height={28} radius="sm" />
      ))}
    </Stack>
  )
}
