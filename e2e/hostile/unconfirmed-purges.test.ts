import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it, vi } from 'vitest'
import { emptyPlace, svcServe, type Place } from '../../packages/cli/test/svc.js'
import { freePort, startVarnish } from '../../test/servers/index.js'
import { accountToken } from '../account-token.js'
import { fileClient } from '../file-client.js'
import { tcpProxy } from './tcp-proxy.js'

/** Varnish that svc cannot reach, while it still answers clients: copies of files that have changed do not stay. */

vi.setConfig({ testTimeout: 120_000 })

interface Copy {
  readonly id: number
  /** The status of its share link at Varnish, and at svc. */
  readonly statuses: () => Promise<[number, number]>
}

function statusAt(url: string, link: string): Promise<number> {
  const { pathname, hostname } = new URL(link)
  return new Promise((resolve, reject) => {
    const headers = { host: hostname }
    request(url + pathname, { headers, agent: false }, (answer) => {
      text(answer).then(() => resolve(answer.statusCode ?? 0), reject)
    })
      .on('error', reject)
      .end()
  })
}

it('an unconfirmed copy is purged when svc reaches the edge again, also after a deletion and after svc was killed before it purged', async () => {
  await using empty = await emptyPlace()
  const port = await freePort()
  const varnish = await startVarnish(port)
  try {
    await using path = await tcpProxy(Number(new URL(varnish.url).port))
    const place: Place = { ...empty, env: { SVC_EDGE: `varnish+http://127.0.0.1:${path.port}` } }
    const token = await accountToken(place, 'ada@example.com', '*')
    const serve = () => svcServe(place, '--port', String(port))
    const first = await serve()
    const client = fileClient(first.url, token)
    const share = async (): Promise<Copy> => {
      const file = await client.call('files/upload', { name: 'a.txt', content: 'aGVsbG8=', shared: true })
      const link = file?.data['share_url'] as string
      const statuses: Copy['statuses'] = async () => [
        await statusAt(varnish.url, link),
        await statusAt(first.url, link),
      ]
      expect(await statuses()).toEqual([200, 200])
      return { id: file?.data['id'] as number, statuses }
    }
    const [unshared, deleted, killed] = [await share(), await share(), await share()]

    path.setSilent(true)
    for (const [call, body] of [
      ['files/update', { id: unshared.id, shared: false }],
      ['files/delete', { id: deleted.id }],
    ] as const) {
      const outcome = await client.call(call, body)
      expect(outcome).toMatchObject({ status: 502, data: { error: 'upstream_error' } })
      expect(outcome?.data['message']).toContain('The server repeats the purge until the cache confirms it.')
    }
    expect(await client.call(`files/${unshared.id}`)).toMatchObject({ status: 200, data: { shared: false } })
    expect(await client.call(`files/${deleted.id}`)).toMatchObject({ status: 404 })
    const interrupted = client.call('files/update', { id: killed.id, shared: false })
    await expect.poll(async () => (await killed.statuses())[1], { interval: 20, timeout: 30_000 }).toBe(404)
    await first[Symbol.asyncDispose]()
    expect(await interrupted).toBeUndefined()

    await using _second = await serve()
    // Varnish has not heard of the changes, and svc does not serve the files.
    for (const { statuses } of [unshared, deleted, killed]) expect(await statuses()).toEqual([200, 404])
    path.setSilent(false)
    for (const { statuses } of [unshared, deleted, killed])
      await expect.poll(statuses, { timeout: 60_000 }).toEqual([404, 404])
  } finally {
    await varnish.stop()
  }
})
