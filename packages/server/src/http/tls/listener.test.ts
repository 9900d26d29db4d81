import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
  type MockInstance,
} from 'vitest'
import { noChallenges, type OpenChallenges } from '../../ports/certificates/port.js'
import { ServedCertificate } from '../../ports/certificates/served-certificate.js'
import { helloFor } from '../../../test/client-hello.js'
import { tlsClient, type TlsClient } from '../../../test/tls-client.js'
import { testAuthority, type TestAuthority } from '../../../test/test-authority.js'
import { certificatesFor } from '../../../test/tls-certificates.js'
import { send } from '../../../test/raw-http.js'
import { Connections } from '../connections.js'
import { Destinations } from '../destinations.js'
import { defaultDeadlines } from '../slow-clients.js'
import type { HandshakeOutcome } from './handshake-queue.js'
import { TlsListener, type ServedName } from './listener.js'
import { redirectServer } from './redirects.js'

let authority: TestAuthority
beforeAll(() => {
  authority = testAuthority()
})
afterAll(() => authority.remove())

const log = pino({ level: 'silent' })
const certificates = certificatesFor('localhost')
/** Of the connections after their handshake. */
let served: (ServedName | undefined)[]
const deadlineMs = 500

let challenges: OpenChallenges
let outcomes: HandshakeOutcome[]
let listener: TlsListener
let isExempt: MockInstance<Connections['isExempt']>
let redirects: Server
let client: TlsClient
let port: number
let perNetwork: number
beforeEach(async () => {
  outcomes = []
  served = []
  challenges = noChallenges
  const shared: OpenChallenges = {
    certificateOf: (name) => challenges.certificateOf(name),
    keyAuthorization: (token) => challenges.keyAuthorization(token),
  }
  const http = createHttp()
  perNetwork = 3
  const limits = {
    max: 0,
    get perNetwork() {
      return perNetwork
    },
  }
  const connections = new Connections(http, { limits, trusted: () => false, log })
  // This machine is exempt from the limits otherwise.
  isExempt = vi.spyOn(connections, 'isExempt').mockReturnValue(true)
  listener = new TlsListener({
    certificates,
    challenges: shared,
    defaultName: 'localhost',
    connections,
    deadlineMs,
    log,
    metrics: { handshake: (outcome) => void outcomes.push(outcome) },
    serve: (socket) => {
      served.push(listener.servedOf(socket))
      http.emit('connection', socket)
    },
  })
  redirects = redirectServer({
    certificates,
    challenges: shared,
    destinations: new Destinations({
      content: 'content.sites.example',
      sitesDomain: 'sites.example',
      publicUrl: undefined,
    }),
    publicPort: '8443',
    connections,
    deadlines: defaultDeadlines,
    log,
    recordClosed: () => undefined,
  })
  for (const server of [listener.server, redirects]) await once(server.listen(0, '127.0.0.1'), 'listening')
  port = (listener.server.address() as AddressInfo).port
  client = tlsClient(port, authority.ca)
})
afterEach(async () => {
  redirects.close()
  await listener.close()
})

async function dial(bytes?: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return socket.resume()
}

describe('the deadline of a handshake', () => {
  it.each<[string, (hello: Buffer) => Promise<Socket>]>([
    ['no byte', () => dial()],
    ['a part of the first message', (hello) => dial(hello.subarray(0, 50))],
    ['the first message only', (hello) => dial(hello)],
    [
      'its first message byte by byte',
      async (hello) => {
        const socket = await dial()
        void (async () => {
          for (const byte of hello) {
            if (!socket.writable) return
            socket.write(Buffer.from([byte]))
            await sleep(10)
          }
        })()
        return socket
      },
    ],
  ])('ends a connection whose client sends %s', async (_, start) => {
    const hello = await helloFor('localhost')
    const from = performance.now()
    const socket = await start(hello)
    await new Promise<void>((resolve) => socket.once('close', () => resolve()))
    expect(performance.now() - from).toBeGreaterThan(deadlineMs - 50)
    expect(outcomes).toEqual(['late'])
  })

  it('does not end a connection whose handshake is over', async () => {
    const socket = await client.open('localhost', { rejectUnauthorized: false })
    await sleep(deadlineMs + 200)
    expect(socket.destroyed).toBe(false)
    socket.destroy()
    expect(outcomes).toEqual(['ok'])
  })
})

it.each([0, 1, 60, Infinity])(
  'closes a connection whose client leaves after %d bytes of the first message',
  async (length) => {
    const hello = await helloFor('localhost')
    const socket = await dial(hello.subarray(0, length))
    socket.end()
    const connections = () => new Promise((resolve) => listener.server.getConnections((_, count) => resolve(count)))
    await expect.poll(connections, { timeout: deadlineMs - 100 }).toBe(0)
  },
)

it('limits the connections of a network: before and after its handshake, a connection counts once', async () => {
  isExempt.mockReturnValue(false)
  const options = { rejectUnauthorized: false }
  const open = [await client.open('localhost', options), await client.open('localhost', options), await dial()]
  const refused = await dial()
  await once(refused, 'close')
  open[0]?.destroy()
  await expect
    .poll(() =>
      client.open('localhost', options).then(
        (socket) => open.push(socket),
        () => 0,
      ),
    )
    .toBe(4)
  for (const socket of open) socket.destroy()
})

it('counts the outcomes of handshakes', async () => {
  await expect(client.open('other.example')).rejects.toThrow()
  await expect(client.open('localhost')).rejects.toThrow()
  await expect.poll(() => outcomes).toHaveLength(2)
  expect(outcomes).toEqual(['unknown_name', 'failed'])
})

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a resumed connection of %s has the name and the first certificate of its own host',
  async (version) => {
    const { chain, key } = authority.issue(['localhost', 'site.example'])
    const before = [...certificates.all()]
    const [first] = before
    if (first === undefined) throw new Error('no certificate')
    const facts = {
      names: ['site.example'],
      validUntil: first.validUntil,
      since: 1,
      isOfAccount: true,
      isEnding: false,
    }
    const established = new ServedCertificate(facts, { chain, key })
    certificates.replace([...before, established])
    const resumed = await client.resume('site.example', version)
    // The client is told before the server.
    const expected = { name: 'site.example', since: 1, isOfAccount: true }
    await expect.poll(() => served).toEqual([expected, expected])
    resumed.destroy()
    certificates.replace(before)
  },
)

it('does not begin the handshake of a connection that was destroyed while it waited', async () => {
  const hello = await helloFor('localhost')
  listener.server.prependListener('connection', (server: Socket) => {
    // Before the handshake in the same turn of the event loop; `close` comes after both.
    server.once('readable', () => setImmediate(() => server.destroy()))
  })
  const socket = await dial(hello)
  await once(socket, 'close')
  await sleep(50)
  expect(outcomes).toEqual([])
})

describe('a challenge of ACME', () => {
  const acme = { ALPNProtocols: ['acme-tls/1'] }

  it('tls-alpn-01 has the limit of handshakes: the 201st look-up of a network waits, here until its deadline', async () => {
    isExempt.mockReturnValue(false)
    perNetwork = 0
    let asked = 0
    let accepted = 0
    listener.server.on('connection', () => accepted++)
    challenges = { ...noChallenges, certificateOf: () => void asked++ }
    const hello = await helloFor('new.example', acme)
    // The second and the deadlines of all connections are over when the test says so, however busy the machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const sockets = await Promise.all(Array.from({ length: 250 }, () => dial(hello)))
    await expect.poll(() => [accepted, asked], { timeout: 60_000 }).toEqual([250, 200])
    vi.advanceTimersByTime(deadlineMs)
    expect(outcomes.filter((outcome) => outcome === 'late')).toHaveLength(50)
    expect(asked).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  it('tls-alpn-01 gets its certificate, also for a name that has another one', async () => {
    const { chain, key } = authority.issue(['localhost', 'new.example'])
    challenges = { ...noChallenges, certificateOf: () => Promise.resolve({ chain, key }) }
    for (const name of ['localhost', 'new.example']) {
      const socket = await client.open(name, acme)
      expect(socket.alpnProtocol).toBe('acme-tls/1')
      expect(socket.getPeerCertificate().subjectaltname).toContain('DNS:new.example')
      await once(socket.resume(), 'close')
    }
    expect(outcomes).toEqual(['ok', 'ok'])
  })

  it('tls-alpn-01 that is not open is refused', async () => {
    await expect(client.open('localhost', acme)).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
  })

  it('tls-alpn-01 whose look-up fails closes the connection', async () => {
    challenges = { ...noChallenges, certificateOf: () => Promise.reject(new Error('no database')) }
    await expect(client.open('localhost', acme)).rejects.toThrow()
  })

  it('http-01 gets its key authorization at any host, and is redirected if it is not open', async () => {
    challenges = {
      ...noChallenges,
      keyAuthorization: (token) => (token === 'open' ? Promise.resolve('open.thumbprint') : undefined),
    }
    const url = `http://127.0.0.1:${String((redirects.address() as AddressInfo).port)}`
    const ask = (token: string, host: string) =>
      send(url, 'GET', `/.well-known/acme-challenge/${token}`, { headers: { host } })
    expect(await ask('open', 'new.example')).toMatchObject({ status: 200, text: 'open.thumbprint' })
    expect(await ask('other', 'new.example')).toMatchObject({ status: 404 })
    expect((await ask('other', 'localhost')).headers.location).toBe(
      'https://localhost:8443/.well-known/acme-challenge/other',
    )
  })
})
