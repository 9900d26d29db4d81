import type { Operation } from '@svc/contract'
import { Redirect, unknownPath } from '../../http/answer.js'
import type { Area, PublicRoute } from '../../http/area.js'
import { catalogueHandlers } from './handlers.js'
import { prefersPage } from './prefers-page.js'
import { referenceDocuments } from './reference.js'
import { referenceRoutes } from './reference-page.js'

const referencePath = '/reference'

/**
 * The documents that describe the API.
 * @param operations of this server, in the order of the catalogue
 * @param baseUrl the server's public address
 */
export const catalogueArea = async (operations: readonly Operation[], baseUrl: string): Promise<Area<'catalogue'>> => ({
  handlers: catalogueHandlers({ operations, baseUrl, referencePath }),
  routes: [startPage, ...(await referenceRoutes(referencePath, referenceDocuments(operations, baseUrl)))],
})

/** Leads browsers from the address of the server to the reference. Other clients get 404, as at any unknown path. */
const startPage: PublicRoute = {
  path: '/',
  answer: (request) => {
    if (prefersPage(request.header('accept'))) return new Redirect(referencePath)
    throw unknownPath()
  },
}
