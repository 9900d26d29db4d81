import { afterEach, expect, it } from 'vitest'
import { startContentServer, type ContentServer } from '../../../../test/content-server.js'
import { openSocket, send } from '../../../../test/raw-http.js'
import { largeAtOnce, largeBodies } from '../large-bodies.js'
import { unlimitedSpace } from '../../../ports/space/port.js'
import type { FormStore } from './form-store.js'
import { formRoute } from './route.js'

/** Outcomes of the store. */

const settings = '{"next_urls":[],"origins":[]}'

let server: ContentServer
afterEach(() => server.stop())

const headers = { host: 'content.localhost' }

const mail = { accountId: 1, kind: 'form-submission', topic: '1', content: '{}', now: 1 } as const
let dropped = 0

/** Each request is for another form, because of the limit for networks. */
let forms = 0

async function start(store: FormStore['store']) {
  const find = () => Promise.resolve({ id: ++forms, accountId: forms, settings })
  const notices = { tell: () => mail, wake: () => undefined, noteDropped: () => void dropped++ }
  const endpoints = [formRoute({ find, store }, { space: unlimitedSpace, withinMemory: largeBodies(), notices })]
  server = await startContentServer({ endpoints })
}

async function submit(store: FormStore['store']) {
  await start(store)
  return send(server.url, 'POST', '/f/contact', { headers, body: 'a=1' })
}

it('404 if the form is deleted while the body arrives', async () => {
  const answer = await submit(() => Promise.resolve(false))
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([404, '*'])
})

it.each([true, false])(
  '200 for a stored submission, and counts an e-mail that was dropped: %s',
  async (isMailDropped) => {
    dropped = 0
    const answer = await submit(() => Promise.resolve({ isMailDropped }))
    expect([answer.status, dropped]).toEqual([200, Number(isMailDropped)])
  },
)

it('500 without details if the database fails', async () => {
  const answer = await submit(() => Promise.reject(new Error('disk full')))
  expect([answer.status, answer.text.includes('disk full')]).toEqual([500, false])
  expect(server.log.join()).toContain('disk full')
})

it('slow clients take no place of large bodies until more than 16 KiB have arrived, and then give way to faster ones', async () => {
  let stored = 0
  await start(() => {
    stored += 1
    return Promise.resolve({ isMailDropped: false })
  })
  const head = `POST /f/contact HTTP/1.1\r\nHost: ${headers.host}\r\nContent-Length: 40000\r\n\r\n`
  const sockets = await Promise.all(Array.from({ length: largeAtOnce.network }, () => openSocket(server.url)))
  const answers: string[] = []
  for (const socket of sockets)
    socket
      .on('error', () => socket.destroy())
      .on('data', (data) => answers.push(data.toString()))
      .write(head)
  const large = () => send(server.url, 'POST', '/f/slow', { headers, body: `a=${'x'.repeat(30_000)}` })
  try {
    expect([(await large()).status, stored]).toEqual([200, 1])
    for (const socket of sockets) socket.write('x'.repeat(20_000))
    await new Promise((resolve) => setTimeout(resolve, 500))
    for (let n = 0; n < 20; n++) expect((await large()).status).toBe(200)
    expect(stored).toBe(21)
    // One place is enough for requests one after another.
    await expect.poll(() => answers.length).toBe(1)
    expect(answers[0]).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1\r\n/is)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})
