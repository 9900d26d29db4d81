import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitedHeaders, listHeaderMaxBytes, parametersMax, queryMaxBytes } from '../../src/http/head-limits.js'
import { startApp, type TestApp } from '../app.js'
import { send } from '../raw-http.js'

/** Queries and list headers have limits, which are checked before they are parsed. */

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const get = (path: string, headers: Record<string, string> = {}) => send(app.url, 'GET', path, { headers })

describe('a query', () => {
  it('a query of public.hash may have a value of 8192 bytes with every byte percent-encoded, or 8192 plus signs', async () => {
    for (const value of ['%61'.repeat(8192), '+'.repeat(8192), '%20'.repeat(8192)]) {
      const { status, body } = await get(`/v1/public/hash?algo=sha256&value=${value}`)
      expect(status).toBe(200)
      expect(body['data'].length).toBe(8192)
    }
  })

  it.each([
    ['bytes', 'x'.repeat(queryMaxBytes + 1), `The query must have at most ${queryMaxBytes} bytes, not 25601.`],
    ['parameters', '&'.repeat(parametersMax), `The query must have at most ${parametersMax} parameters.`],
    ['plus signs', '+'.repeat(8193), 'The query must have at most 8192 plus signs.'],
  ])('a query with too many %s is 400 on every host, and is counted in the log', async (_what, query, message) => {
    for (const path of ['/v1/public/time', '/v1/account/me', '/nowhere', '/console/api/session']) {
      const { status, headers, body } = await get(`${path}?${query}`)
      expect({ status, body }).toEqual({
        status: 400,
        body: { success: false, error: 'bad_request', message, request_id: headers['x-request-id'] },
      })
      await expect.poll(() => app.log.join('')).toContain(`"request_id":"${String(headers['x-request-id'])}"`)
    }
    for (const host of ['content.localhost', 'site.localhost']) {
      const { status, headers, text } = await get(`/x?${query}`, { host })
      expect({ status, text }).toEqual({
        status: 400,
        text: `${message}\nrequest_id: ${String(headers['x-request-id'])}\n`,
      })
    }
  })

  it('a query with the most bytes and parameters is read', async () => {
    const first = `${'a&'.repeat(parametersMax - 1)}x=`
    expect((await get(`/healthz?${first}${'x'.repeat(queryMaxBytes - first.length)}`)).status).toBe(200)
  })

  it('a query with too many parameters has no answer to HEAD but the status, and the connection goes on', async () => {
    const { status, text } = await send(app.url, 'HEAD', `/v1/public/time?${'&'.repeat(parametersMax)}`)
    expect({ status, text }).toEqual({ status: 400, text: '' })
  })
})

it.each(limitedHeaders)('a header %s of more than 4096 bytes is 400, and one of 4096 bytes is read', async (name) => {
  const refused = await get('/healthz', { [name]: ','.repeat(listHeaderMaxBytes + 1) })
  expect(refused.status).toBe(400)
  expect(refused.body['message']).toBe(`The header ${name} must have at most ${listHeaderMaxBytes} bytes.`)
  expect((await get('/healthz', { [name]: ','.repeat(listHeaderMaxBytes) })).status).toBe(200)
})

it('several headers of one name count together', async () => {
  const half = ','.repeat(listHeaderMaxBytes / 2)
  const { status } = await send(app.url, 'GET', '/healthz', { headers: { accept: [half, half] } })
  expect(status).toBe(400)
})

it.each(['cookie', 'authorization', 'user-agent', 'x-custom'])(
  'a header %s of 50,000 bytes is accepted',
  async (name) => {
    expect((await get('/healthz', { [name]: 'x'.repeat(50_000) })).status).toBe(200)
  },
)
