import { Skeleton } from '@mantine/core'
import { lazy, Suspense, type ComponentProps } from 'react'

const Bars = lazy(() => import('./bars.js'))

/** A bar chart, whose library is loaded when the first one is shown. */
export function LazyBars(props: ComponentProps<typeof Bars>) {
  return (
    <Suspense fallback={<Skeleton height={180} />}>
      <Bars {...props} />
    </Suspense>
  )
}
