import type { Operation } from '@svc/contract'
import type { Area } from '../../http/area.js'
import type { Authenticate } from '../../shared/account.js'
import { lazy } from '../../shared/lazy.js'
import { catalogueHandlers } from './handlers.js'
import { referenceDocuments } from './reference.js'
import { referenceRoutes } from './reference-page.js'

const referencePath = '/reference'

/**
 * The documents that describe the API.
 * @param operations of this server, in the order of the catalogue
 * @param baseUrl the server's public address
 * @param authenticate a token, whose operations alone the brief for prompts describes
 */
export const catalogueArea = async (
  operations: readonly Operation[],
  baseUrl: string,
  authenticate: Authenticate,
): Promise<Area<'catalogue'>> => ({
  handlers: catalogueHandlers({ operations, baseUrl, referencePath, authenticate }),
  routes: await referenceRoutes(
    referencePath,
    // Rendered at its first request: that takes tens of milliseconds.
    lazy(async () => (await import('./reference-overview.js')).referenceOverview(operations, baseUrl)),
    referenceDocuments(operations, baseUrl),
  ),
})
