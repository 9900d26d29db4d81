import { afterEach, expect, it } from 'vitest'
import { startContentServer, type ContentServer } from '../../../../test/content-server.js'
import { send } from '../../../../test/raw-http.js'
import { formRoute } from './route.js'

/** Submissions that the store does not take. */

const settings = '{"redirect_to":[],"origins":[]}'

let server: ContentServer
afterEach(() => server.stop())

async function submit(store: () => Promise<boolean>) {
  const endpoints = [formRoute({ find: () => Promise.resolve({ id: 1, settings }), store })]
  server = await startContentServer({ endpoints })
  return send(server.url, 'POST', '/f/contact', { headers: { host: 'content.localhost' }, body: 'a=1' })
}

it('404 if the form is deleted while the body arrives', async () => {
  const answer = await submit(() => Promise.resolve(false))
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, '*'])
})

it('500 without details if the database fails', async () => {
  const answer = await submit(() => Promise.reject(new Error('disk full')))
  expect([answer.status, answer.text.includes('disk full')]).toEqual([500, false])
  expect(server.log.join()).toContain('disk full')
})
