import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed, Id, PageData, PageQuery } from '../schema.js'

/** How the edge serves shared files (specification, section 4.5). */

/** One year, the longest lifetime of a cached answer (RFC 2616, section 14.21). */
export const edgeTtlMax = 31_536_000

const notShown = 'The CDN settings and counts of a file are not shown.'

/** The counts of requests for shared files. */
export const trafficCounts = {
  requests: Type.Integer({
    minimum: 0,
    description: 'Number of requests, including those that are neither a hit nor a miss, such as HEAD and 304',
  }),
  hits: Type.Integer({ minimum: 0, description: 'Requests that were answered from the cache' }),
  misses: Type.Integer({ minimum: 0, description: 'Requests for which the edge fetched the file' }),
  bytes_served: Type.Integer({ minimum: 0, description: 'Bytes sent' }),
}

export const EdgeFile = Type.Object(
  {
    id: Id('Id of the file'),
    name: Type.String({ description: 'Download name' }),
    share_url: Type.String({ format: 'uri', description: 'Share link' }),
    edge_ttl: Type.Integer({
      minimum: 0,
      description: 'How long the edge keeps the file, in seconds; 0 for no caching',
    }),
    serving: Type.Boolean({ description: 'Whether the edge serves the file' }),
    ...trafficCounts,
  },
  open(notShown),
)

const edgeFile = {
  id: 7,
  name: 'notes.txt',
  share_url: 'http://content.localhost:8080/s/k3VbX9wq2LmZ7aTr0Yc1Dw/notes.txt',
  edge_ttl: 3600,
  serving: true,
  requests: 12,
  hits: 11,
  misses: 1,
  bytes_served: 60,
}

export const stats = operation({
  id: 'cdn.stats',
  method: 'GET',
  path: '/v1/cdn/stats',
  access: { anyOf: ['cdn:read'] },
  summary: 'Show cache settings and request counts of shared files',
  description: 'Newest first. Counts are written every second.',
  query: Type.Object(PageQuery),
  data: Type.Object({ files: Type.Array(EdgeFile, open(notShown)), ...PageData }),
  example: { query: { limit: 100 }, data: { files: [edgeFile], next: null, total: 1 } },
})

export const config = operation({
  id: 'cdn.config',
  method: 'POST',
  path: '/v1/cdn/config',
  access: { anyOf: ['cdn:write'] },
  summary: 'Set how long the edge keeps a file, or stop serving it',
  open: 'A file that is not shared is not at the edge and answers 400.',
  body: Type.Object(
    {
      id: Id('Id of the file'),
      edge_ttl: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: edgeTtlMax,
          description: 'How long the edge keeps the file, in seconds; 0 for no caching',
        }),
      ),
      serving: Type.Optional(Type.Boolean({ description: 'False to stop serving the file' })),
    },
    open(`${notShown} Only supplied fields change.`, closed),
  ),
  data: EdgeFile,
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { id: 7, edge_ttl: 3600 }, data: edgeFile },
})

export const purge = operation({
  id: 'cdn.purge',
  method: 'POST',
  path: '/v1/cdn/purge',
  access: { anyOf: ['cdn:write'] },
  summary: 'Drop a file from the edge cache immediately',
  open: 'A file that is not shared is not at the edge and answers 400.',
  body: Type.Object({ id: Id('Id of the file') }, open('The body of this request is not shown.', closed)),
  data: Type.Object(
    { id: Id('Id of the file'), purged: Type.Literal(true) },
    open('The answer is not shown: the id and `purged`.'),
  ),
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { body: { id: 7 }, data: { id: 7, purged: true } },
})
