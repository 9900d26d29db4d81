import { createServer, get, Agent, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { GracefulStop } from './stop.js'

const log = pino({ level: 'silent' })
const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const step of cleanUp.splice(0)) step()
})

/** A server with a GracefulStop. Like Fastify's, its `close` resolves when the last connection has ended. */
async function running(answer: RequestListener, limits = { graceMs: 9_000, lastMs: 9_700 }) {
  const server: Server = createServer({ keepAliveTimeout: 60_000 }, answer).listen(0, '127.0.0.1')
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  const graceful = new GracefulStop({ server, close }, log, limits)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  cleanUp.push(
    () => agent.destroy(),
    () => server.closeAllConnections(),
  )
  return { server, graceful, port, agent }
}

const sendGet = (port: number, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => get({ port, host: '127.0.0.1', agent }, resolve).on('error', reject))

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  cleanUp.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function timed(work: Promise<void>): Promise<number> {
  const from = performance.now()
  await work
  return performance.now() - from
}

it('waits for the running request, answers it completely, and accepts no further one', async () => {
  const { graceful, port, agent } = await running((_request, response) => {
    response.write('first ')
    setTimeout(() => response.end('last'), 300)
  })
  const response = await sendGet(port, agent)
  const stopped = timed(graceful.stop())
  const text = (await response.setEncoding('utf8').toArray()).join('')
  expect(text).toBe('first last')
  // The client would keep the connection for a minute.
  expect(await stopped).toBeLessThan(2_000)
})

it('waits until a slow client has read an answer that was written at once', async () => {
  const body = Buffer.alloc(32 * 1024 * 1024)
  const { graceful, port, agent } = await running((_request, response) => response.end(body))
  const response = await sendGet(port, agent)
  // The client reads nothing before the stop. Most of the answer is not yet in the buffers of the system.
  const stopped = timed(graceful.stop())
  await sleep(300)
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) length += chunk.length
  expect(length).toBe(body.length)
  expect(await stopped).toBeLessThan(5_000)
})

it('does not wait for idle connections or for connections without a request', async () => {
  const { graceful, port, agent } = await running((_request, response) => response.end('done'))
  ;(await sendGet(port, agent)).resume()
  await dial(port)
  await sleep(50)
  expect(await timed(graceful.stop())).toBeLessThan(1_000)
})

it('refuses new connections at once, and waits for a request whose head is still arriving', async () => {
  const { graceful, port } = await running((_request, response) => response.end('done'))
  const socket = await dial(port)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
  await sleep(50)
  const stopped = graceful.stop()
  await expect(dial(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  socket.write('\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1.1 200 OK/)
  await stopped
})

it('cuts off a request that runs too long', async () => {
  const { graceful, port, agent } = await running(() => undefined, { graceMs: 200, lastMs: 5_000 })
  const hung = sendGet(port, agent)
  await sleep(50)
  const [took] = await Promise.all([timed(graceful.stop()), expect(hung).rejects.toMatchObject({ code: 'ECONNRESET' })])
  expect(took).toBeGreaterThan(150)
  expect(took).toBeLessThan(2_000)
})

it('ends at the last deadline although a part never closes', async () => {
  const { server } = await running(() => undefined)
  const never = () => new Promise<void>(() => undefined)
  const graceful = new GracefulStop({ server, close: never }, log, { graceMs: 50, lastMs: 200 })
  expect(await timed(graceful.stop())).toBeLessThan(1_000)
})

it('rejects with an error of the close', async () => {
  const { server } = await running(() => undefined)
  const graceful = new GracefulStop({ server, close: () => Promise.reject(new Error('disk')) }, log)
  await expect(graceful.stop()).rejects.toThrow('disk')
})
