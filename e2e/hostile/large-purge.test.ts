import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { keyOf } from '../../packages/server/test/conformance/edge-origin.js'
import { varnishEdge } from '../../packages/server/src/ports/edge/varnish-edge.js'
import { send } from '../../packages/server/test/raw-http.js'
import { startVarnish } from '../../test/servers/index.js'

/** A purge of many files in Varnish. */

it('a purge of 100,000 files drops them within its deadline of two seconds', async () => {
  const file = 77_777
  let fetched = 0
  const origin = createServer((_, response) => {
    fetched++
    response.writeHead(200, edge.headers({ fileId: file, ttl: 60 })).end('four')
  }).listen(0, '127.0.0.1')
  await once(origin, 'listening')
  const varnish = await startVarnish((origin.address() as AddressInfo).port)
  const edge = varnishEdge(varnish)
  onTestFinished(async () => {
    await varnish.stop()
    origin.close()
    origin.closeAllConnections()
  })
  const get = () => send(varnish.url, 'GET', `/s/${keyOf(file)}/a`, { headers: { host: 'content.localhost' } })

  for (const round of [1, 2]) expect([round, (await get()).status]).toEqual([round, 200])
  expect(fetched).toBe(1)
  await edge.purge(Array.from({ length: 100_000 }, (_, index) => index))
  await get()
  expect(fetched).toBe(2)
})
