import { afterAll, beforeAll, expect, it } from 'vitest'
import { startContentServer, type ContentServer } from '../../../../test/content-server.js'
import { send } from '../../../../test/raw-http.js'
import { FollowedCache } from '../../../shared/followed-cache.js'
import { toLink, type Link } from './link.js'
import { linkRoute } from './route.js'

const settings = '{"status":302,"forward_query":false}'
const link = toLink({ id: 1, target: 'https://example.com/', settings, expiresAt: null, maxUses: 5 })

let server: ContentServer
let writes = 0
beforeAll(async () => {
  const store = {
    find: (slug: string) => Promise.resolve({ ...link, uses: slug === 'used-up' ? 5 : 4 }),
    use: () => {
      writes += 1
      return Promise.resolve(link)
    },
    addUses: () => Promise.resolve(),
  }
  const links = new FollowedCache<string, Link>({
    job: { name: 'deployments.changes', failureMessage: '' },
    countChanges: () => Promise.resolve(0),
    limits: { max: 10 },
  })
  server = await startContentServer({ endpoints: [linkRoute({ store, links, count: () => undefined })] })
})
afterAll(() => server.stop())

it.each([
  ['left', 302, 1],
  ['used-up', 404, 0],
])('a link with its uses %s answers %i with %i write', async (slug, status, expected) => {
  for (let visits = 0; visits < 2; visits++) {
    writes = 0
    const answer = await send(server.url, 'GET', `/l/${slug}`, { headers: { host: 'content.localhost' } })
    expect([answer.status, writes]).toEqual([status, expected])
  }
})
