import { createBrowserRouter, Outlet, type RouteObject } from 'react-router'
import { areas } from './areas.js'
import { MissingPage } from '../parts/missing-page.js'
import { Lines } from '../parts/query-view.js'
import { consolePath } from '../parts/api/base.js'
import { PageFailure } from './page-failure.js'
import { ScrollBack } from './scroll-back.js'
import { Shell } from './shell.js'

function Frame() {
  return (
    <Shell>
      <Outlet />
      <ScrollBack />
    </Shell>
  )
}

/** The frame while the first page loads. */
function LoadingFrame() {
  return (
    <Shell>
      <Lines />
    </Shell>
  )
}

const pages: RouteObject[] = areas.map(({ path, pages }) => ({
  path,
  ErrorBoundary: PageFailure,
  children: [...pages],
}))

/** Every page of every area, inside the shell. */
export const router = createBrowserRouter(
  [
    {
      Component: Frame,
      HydrateFallback: LoadingFrame,
      ErrorBoundary: PageFailure,
      children: [...pages, { path: '*', Component: MissingPage }],
    },
  ],
  { basename: consolePath },
)
