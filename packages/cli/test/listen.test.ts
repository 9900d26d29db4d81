import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { serveIn } from './serving.js'
import { emptyPlace, start, svc } from './svc.js'

// Each command starts a process.
vi.setConfig({ testTimeout: 60_000 })

async function answering(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('svc api events stream', () => {
  it('prints a line of JSON for each event, until a signal ends it', async () => {
    await using place = await emptyPlace()
    await using app = await serveIn(place)
    const account = await app.account('ada@example.com')
    const token = await app.token(account, 'dns:write')
    const child = start(['api', 'events', 'stream', '--area', 'dns', '--url', app.url, '--token', token], place)
    // The command listens from its first byte on, which it does not print: claims until it prints one.
    const first = once(createInterface(child.stdout), 'line') as Promise<[string]>
    const claimed = async (zone: string) => {
      await app.call('POST', '/v1/dns/zones', { token, body: { zone } })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    let line: string | undefined
    for (let i = 0; line === undefined; i++)
      [line] = await Promise.race([first, claimed(`z${String(i)}.example`).then(() => [])])
    expect(JSON.parse(line)).toMatchObject({
      area: 'dns',
      action: 'zone_claim',
      object: expect.stringMatching(/^z\d+\.example$/),
    })
    child.kill('SIGINT')
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]
    expect(signal).toBe('SIGINT')
  })

  it('continues behind the last event after a break', async () => {
    await using place = await emptyPlace()
    const ids: (string | undefined)[] = []
    await using server = await answering((request, response) => {
      ids.push(request.headers['last-event-id']?.toString())
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('retry: 3000\nid: 4\n\n')
      if (ids.length === 1) response.write('id: 5\ndata: {"id":5}\n\n', () => setTimeout(() => response.destroy(), 100))
      else response.write('id: 6\ndata: {"id":6}\n\n')
    })
    const child = start(['api', 'events', 'stream', '--url', server.url, '--token', `svc_${'0'.repeat(32)}`], place)
    const printed = createInterface(child.stdout)[Symbol.asyncIterator]()
    expect([(await printed.next()).value, (await printed.next()).value]).toEqual(['{"id":5}', '{"id":6}'])
    expect(ids).toEqual([undefined, '5'])
    child.kill()
    expect(await text(child.stderr)).toContain('trying again in 1 s')
  })

  it('ends with the error of the server if the token is not valid', async () => {
    await using place = await emptyPlace()
    await using app = await serveIn(place)
    const { code, stderr } = await svc(
      ['api', 'events', 'stream', '--url', app.url, '--token', `svc_${'0'.repeat(32)}`],
      place,
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining('The token is unknown or revoked')])
  })
})
