import { expect, it } from 'vitest'
import { selectEdge } from './select.js'

it('opens the configured cache', async () => {
  const embedded = await selectEdge({ kind: 'embedded', cacheBytes: 0 })
  const varnish = await selectEdge({ kind: 'varnish', url: 'http://127.0.0.1:9' })
  expect([embedded.seesAllRequests, varnish.seesAllRequests]).toEqual([true, false])
  expect(embedded.headers({ fileId: 7, ttl: 60 })).toEqual({ 'cache-control': 'max-age=0, must-revalidate' })
  expect(varnish.headers({ fileId: 300, ttl: 60 })).toEqual({
    'cache-control': 'public, s-maxage=60, max-age=0, must-revalidate',
    xkey: 'file-300',
    'svc-slot': '44',
  })
})
