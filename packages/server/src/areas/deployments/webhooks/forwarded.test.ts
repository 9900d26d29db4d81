import { expect, it } from 'vitest'
import { forwardHeaders, forwardUrl, isLoop, messageId, type ForwardedRequest } from './forwarded.js'

const request: ForwardedRequest = {
  webhookId: 7,
  id: 12,
  receivedAt: 1_790_000_000_000,
  method: 'POST',
  query: '',
  headers: '[]',
  body: Buffer.from('{"test": 2432232314}'),
  target: 'https://example.com/hook',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
}

it.each([
  ['https://example.com/hook', '', 'https://example.com/hook'],
  ['https://example.com/hook', 'a=1&b=%20', 'https://example.com/hook?a=1&b=%20'],
  ['https://example.com/hook?key=k', 'a=1', 'https://example.com/hook?key=k&a=1'],
  ['https://example.com/hook?key=k', '', 'https://example.com/hook?key=k'],
  ['https://example.com', 'a#b', 'https://example.com/?a%23b'],
  ['https://example.com/hook', 'x=@evil.example/', 'https://example.com/hook?x=@evil.example/'],
])('a request to %s with the query %j is sent to %s', (target, query, url) => {
  expect(forwardUrl({ target, query })).toBe(url)
})

const signature = (headers: readonly string[]) => headers.slice(-6)
const forwarded = (...headers: string[]) =>
  forwardHeaders({ ...request, headers: JSON.stringify(headers) }, 1_614_265_330_000).slice(0, -8)

it('forwards headers as they came, in their order', () => {
  const headers = [
    'X-GitHub-Event',
    'push',
    'Accept',
    '*/*',
    'x-many',
    '1',
    'X-Many',
    '2',
    'Authorization',
    'Basic eA==',
  ]
  expect(forwarded(...headers)).toEqual(headers)
})

it.each([
  ['of the connection', ['Connection', 'keep-alive, X-Hop', 'x-hop', '1', 'Keep-Alive', 'timeout=5', 'TE', 'trailers']],
  [
    'of the body',
    ['Transfer-Encoding', 'chunked', 'Content-Length', '5', 'Trailer', 'X-Sum', 'Expect', '100-continue'],
  ],
  ['of another host', ['Host', 'content.example.net', 'Upgrade', 'websocket', 'HTTP2-Settings', 'x']],
  ['of a signature', ['Webhook-Id', 'other', 'WEBHOOK-TIMESTAMP', '1', 'webhook-signature', 'v1,forged']],
])('does not forward headers %s', (_, headers) => {
  expect(forwarded(...headers, 'X-Kept', 'yes')).toEqual(['X-Kept', 'yes'])
})

it('signs with the id of the request, which is the same for each attempt', () => {
  const first = signature(forwardHeaders(request, 1_614_265_330_000))
  const second = signature(forwardHeaders(request, 1_614_265_400_000))
  expect(first.slice(0, 4)).toEqual(['webhook-id', 'msg_7_12_mubbs7i8', 'webhook-timestamp', '1614265330'])
  expect(second.slice(0, 4)).toEqual([...first.slice(0, 3), '1614265400'])
  expect(second[5]).not.toBe(first[5])
})

it('ids differ between webhooks, requests and times', () => {
  const ids = [request, { ...request, id: 13 }, { ...request, webhookId: 71, id: 2 }, { ...request, receivedAt: 1 }]
  expect(new Set(ids.map(messageId)).size).toBe(4)
})

it.each([
  [[], '1', false],
  [['Webhook-Hops', '3'], '4', false],
  [['Accept', 'webhook-hops', 'webhook-hops', '4'], '5', true],
  [['webhook-hops', 'many'], '1', false],
])('counts how often a request was forwarded: %j', (headers, hops, loop) => {
  const sent = forwardHeaders({ ...request, headers: JSON.stringify(headers) }, 0)
  expect(sent.slice(-8, -6)).toEqual(['webhook-hops', hops])
  expect(isLoop(headers)).toBe(loop)
})
