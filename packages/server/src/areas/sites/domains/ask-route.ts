import { ApiError } from '@svc/contract/errors'
import { Document } from '../../../http/answer.js'
import type { PublicRoute } from '../../../http/area.js'

interface AskDependencies {
  /** Hosts of the API and the content host. */
  readonly servedHosts: readonly string[]
  readonly hasSite: (host: string) => Promise<boolean>
}

/**
 * Tells a TLS proxy whether to get a certificate for a host: `on_demand_tls` of Caddy asks so, with `domain` in the query. The answer
 * says no more than a request to that host.
 */
export const askRoute = ({ servedHosts, hasSite }: AskDependencies): PublicRoute => ({
  path: '/sites/ask',
  answer: async ({ query }) => {
    const host = (query['domain'] ?? '').toLowerCase().replace(/\.$/, '')
    if (!servedHosts.includes(host) && !(await hasSite(host)))
      throw new ApiError('not_found', 'This server does not serve the domain in the query.')
    return new Document('This server serves the domain.\n', 'text/plain; charset=utf-8')
  },
})
