import { areaReference, byArea, referencePath, type Operation } from '@svc/contract'
import { Document } from '../../http/answer.js'

/**
 * The reference of each area as Markdown, by its path. Call it once, at start.
 * @param operations of this server, in the order of the catalogue
 * @param baseUrl the server's public address
 */
export const referenceDocuments = (operations: readonly Operation[], baseUrl: string): ReadonlyMap<string, Document> =>
  new Map(
    byArea(operations).map((group) => [
      referencePath(group.area),
      new Document(areaReference(group, { baseUrl }), 'text/markdown; charset=utf-8'),
    ]),
  )
