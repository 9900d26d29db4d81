import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { emptyPlace, svc } from './svc.js'

/** `svc api dns zone-verify` with answers of a server. */

const verified = { zone: 'a.com', status: 'verified', matched: true, verified: true }
const pending = { zone: 'b.com', status: 'pending', matched: false, verified: false }
const answers: Readonly<Record<string, object>> = {
  'a.com': verified,
  'b.com': { ...pending, note: 'b.com is still pending: found "\u001b[2Jx\ny".' },
  'c.com': { ...pending, zone: 'c.com' },
}
const envelope = (zone: string) => ({ success: true, data: answers[zone], request_id: 'req_0123456789abcdef' })
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const server = createServer((request, response) => {
  response.end(JSON.stringify(envelope(request.url?.split('/')[4] ?? '')))
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it.each([
  [['a.com'], 0, json(verified), ''],
  [['a.com', '--json'], 0, json(verified), ''],
  [['b.com'], 1, '', 'b.com is still pending: found "\\u{1b}[2Jx\\u{a}y".\n'],
  [['b.com', '--json'], 1, json(answers['b.com']), ''],
  [['b.com', '--raw'], 1, json(envelope('b.com')), ''],
  [['c.com'], 1, '', 'c.com is still pending.\n'],
])(
  'zone-verify --zone %s prints the claim, and ends with exit code 1 while it is pending',
  async ([zone = '', ...flags], code, stdout, stderr) => {
    await using place = await emptyPlace()
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
    const args = ['api', 'dns', 'zone-verify', '--zone', zone, ...flags, '--url', url, '--token', 'x']
    expect(await svc(args, place)).toEqual({ code, stdout, stderr })
  },
)
