import { ApiError } from '@svc/contract'
import { parseCookie } from 'cookie'
import { Redirect, unknownPath, type Document } from '../http/answer.js'
import type { PublicRequest, PublicRoute } from '../http/area.js'
import { acceptsGzip, prefersPage } from '../shared/accepts.js'
import { findBuild, type ConsoleBuild } from './build.js'
import { consolePage } from './page.js'

/** The colors that the user has chosen: the console writes it (`app/color-scheme.tsx`). */
const colorCookie = 'svc_colors'

const oneOf = <Value extends string>(values: readonly Value[], given: string | undefined): Value | undefined =>
  values.find((value) => value === given)

/** The first step of a page's path. `api` and `assets` are not pages. */
const firstStep = '/console/:area(^(?!api$|assets$).*$)'

/** The same for a path that the router cannot read. */
const belowConsole = /^\/console\/(?!(?:api|assets)(?:\/|$))/

/**
 * Leads browsers from the address of the server to the console. Other clients get 404, as at any unknown path. The location is
 * relative, because a reverse proxy may serve this server below a path.
 */
const startPage: PublicRoute = {
  path: '/',
  answer: ({ header }) => {
    if (prefersPage(header('accept'))) return new Redirect('console')
    throw unknownPath()
  },
}

interface ConsoleTerms {
  /** Of the content host. */
  readonly contentOrigin: string
  /** The name of the cookie. */
  readonly sessionCookie: string
}

/**
 * The console: its page, for every path below /console that the page may show, and its scripts and styles.
 * @param folder of the build, for tests
 * @throws Error for a build whose page lacks a placeholder
 */
export async function consoleRoutes(
  { contentOrigin, sessionCookie }: ConsoleTerms,
  folder?: string,
): Promise<readonly PublicRoute[]> {
  const build = await findBuild(contentOrigin, folder)
  const pageOf = (build: ConsoleBuild, { path, header }: Pick<PublicRequest, 'path' | 'header'>) => {
    const cookies = parseCookie(header('cookie') ?? '')
    const colors = oneOf(['light', 'dark'] as const, cookies[colorCookie])
    return consolePage(build, { path, colors, hasSession: cookies[sessionCookie] !== undefined }, contentOrigin)
  }
  const page = async (request: PublicRequest): Promise<Document> => {
    if (build === undefined) throw notBuilt()
    return pageOf(build, request)
  }
  // The page says that it is not found. Other clients get 400.
  const unreadable: PublicRoute['answerUnreadable'] = (request) =>
    build !== undefined && belowConsole.test(request.path) && prefersPage(request.header('accept'))
      ? pageOf(build, request)
      : undefined
  const asset = async ({ params, header }: PublicRequest): Promise<Document> => {
    const find = build?.assets.get(params['name'] ?? '')
    if (find === undefined) throw unknownPath()
    return find(acceptsGzip(header('accept-encoding')))
  }
  return [
    startPage,
    { path: '/console', answer: page, answerUnreadable: unreadable },
    ...['/console/', firstStep, `${firstStep}/*`].map((path) => ({ path, answer: page })),
    { path: '/console/assets/:name', answer: asset },
  ]
}

const notBuilt = () => new ApiError('not_found', 'The console is not built. Run npm run build, then start svc again.')
