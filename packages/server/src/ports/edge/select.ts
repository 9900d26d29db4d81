import type { Edge } from './port.js'

/** The parsed settings `SVC_EDGE` and `SVC_EDGE_CACHE_BYTES`. */
export type EdgeConfig =
  /** @property cacheBytes the largest size of the cache in memory; 0 for no cache */
  | { readonly kind: 'embedded'; readonly cacheBytes: number }
  /** @property url scheme, host and port of the Varnish */
  | { readonly kind: 'varnish'; readonly url: string }

/** Opens the configured cache for share links. Imports only the configured adapter. */
export async function selectEdge(config: EdgeConfig): Promise<Edge> {
  switch (config.kind) {
    case 'embedded': {
      const { embeddedEdge } = await import('./embedded-edge.js')
      return embeddedEdge(config)
    }
    case 'varnish': {
      const { varnishEdge } = await import('./varnish-edge.js')
      return varnishEdge(config)
    }
  }
}
