import type { IncomingMessage } from 'node:http'
import { ContentError, nothingHere, type EndpointAnswer } from '../../../http/answer.js'
import type { EndpointRequest, EndpointRoute, FixedHead, MemoryAnswer } from '../../../http/area.js'
import type { FollowedCache } from '../../../shared/followed-cache.js'
import { isPerson } from './is-person.js'
import { headFor, isExpired, isTooLong, type Link } from './link.js'
import type { LinkStore } from './link-store.js'

interface LinkDependencies {
  readonly store: LinkStore
  /** Links without a maximum of uses, by slug. */
  readonly links: FollowedCache<string, Link>
  /** Counts a use of a link without a maximum. */
  readonly count: (linkId: number) => void
}

const prefix = '/l/'

/** Short links. HEAD and crawlers are redirected without being counted. */
export function linkRoute({ store, links, count }: LinkDependencies): EndpointRoute {
  /** @returns undefined if the link does not answer */
  async function redirect({ method, params, query, header }: EndpointRequest): Promise<FixedHead | undefined> {
    const { slug = '' } = params
    const isCounted = method === 'GET' && isPerson(header('user-agent'))
    const link = links.get(slug) ?? (await findLink(slug))
    if (!link || isExpired(link)) return undefined
    if (isTooLong(link, query)) throw new ContentError(414, 'The query is too long to be forwarded.')
    if (link.maxUses !== null) {
      // A link that is used up costs no write.
      const unused = await findUnused(slug)
      const used = unused && isCounted ? await store.use(slug) : unused
      return used && headFor(used, query)
    }
    if (isCounted) count(link.id)
    return headFor(link, query)
  }

  const findLink = (slug: string): Promise<Link | undefined> => links.load(slug, () => store.find(slug))

  /** A link with a maximum that has uses left. */
  async function findUnused(slug: string): Promise<Link | undefined> {
    const link = await store.find(slug)
    return link?.maxUses === null || (link && link.uses < link.maxUses) ? link : undefined
  }

  return {
    name: 'content.link',
    path: `${prefix}:slug`,
    methods: ['GET', 'HEAD'],
    maxBodyBytes: 0,
    answer: async (request): Promise<EndpointAnswer> => {
      const head = await redirect(request)
      if (!head) throw nothingHere()
      return head
    },
    findInMemory: ({ url = '', headers }: IncomingMessage): MemoryAnswer | undefined => {
      const start = url.indexOf('?')
      const link = links.get(start === -1 ? url.slice(prefix.length) : url.slice(prefix.length, start))
      const query = start === -1 ? '' : url.slice(start + 1)
      if (link?.maxUses !== null || isExpired(link) || isTooLong(link, query)) return undefined
      if (isPerson(headers['user-agent'])) count(link.id)
      return { head: headFor(link, query) }
    },
  }
}
