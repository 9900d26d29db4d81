import { Skeleton } from '@mantine/core'
import { lazy, Suspense, type ComponentProps } from 'react'

const Bars = lazy(() => import('./bars.js'))

/** In pixels. */
const [rowHeight, axisHeight] = [36, 40]

/** A bar chart, whose library is loaded when the first one is shown. What is below it does not move then. */
export function LazyBars(props: Omit<ComponentProps<typeof Bars>, 'height'>) {
  const height = props.bars.length * rowHeight + axisHeight
  return (
    <Suspense fallback={<Skeleton height={height} />}>
      <Bars {...props} height={height} />
    </Suspense>
  )
}
