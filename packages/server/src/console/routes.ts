import Negotiator from 'negotiator'
import { ApiError } from '@svc/contract'
import { unknownPath, type Document } from '../http/answer.js'
import type { PublicRequest, PublicRoute } from '../http/area.js'
import { findBuild } from './build.js'
import { consolePage } from './page.js'

/** The first step of a page's path. `api` and `assets` are not pages. */
const firstStep = '/console/:area(^(?!api$|assets$).*$)'

/**
 * The console: its page, for every path below /console that the page may show, and its scripts and styles.
 * @param contentOrigin of the content host
 */
export async function consoleRoutes(contentOrigin: string): Promise<readonly PublicRoute[]> {
  const build = await findBuild()
  const page = async (request: PublicRequest): Promise<Document> => {
    if (build === undefined) throw notBuilt()
    return consolePage(build.page, request.path, contentOrigin)
  }
  const asset = async ({ params, header }: PublicRequest): Promise<Document> => {
    const find = build?.assets.get(params['name'] ?? '')
    if (find === undefined) throw unknownPath()
    return find(acceptsGzip(header('accept-encoding')))
  }
  return [
    ...['/console', '/console/', firstStep, `${firstStep}/*`].map((path) => ({ path, answer: page })),
    { path: '/console/assets/:name', answer: asset },
  ]
}

const notBuilt = () => new ApiError('not_found', 'The console is not built. Run npm run build, then start svc again.')

const acceptsGzip = (accepted: string | undefined): boolean =>
  new Negotiator({ headers: { 'accept-encoding': accepted } }).encodings(['gzip', 'identity'])[0] === 'gzip'
