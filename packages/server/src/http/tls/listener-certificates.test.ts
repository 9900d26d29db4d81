import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { helloFor } from '../../../test/client-hello.js'
import { testAuthority, type TestAuthority } from '../../../test/test-authority.js'
import { tlsClient, type TlsClient } from '../../../test/tls-client.js'
import { certificatesFor } from '../../../test/tls-certificates.js'
import { noChallenges } from '../../ports/certificates/port.js'
import { ServedCertificate } from '../../ports/certificates/served-certificate.js'
import { Connections } from '../connections.js'
import type { HandshakeOutcome } from './handshake-queue.js'
import { TlsListener, type ServedName } from './listener.js'

/** Certificates that change, or turn out to be unusable, while the port is in use. */

let authority: TestAuthority
beforeAll(() => {
  authority = testAuthority()
})
afterAll(() => authority.remove())

const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
const certificates = certificatesFor('localhost')
const before = [...certificates.all()]
let served: (ServedName | undefined)[]
let outcomes: HandshakeOutcome[]
let listener: TlsListener
let client: TlsClient
let port: number
beforeEach(async () => {
  outcomes = []
  served = []
  const http = createHttp()
  listener = new TlsListener({
    certificates,
    challenges: noChallenges,
    defaultName: 'localhost',
    connections: new Connections(http, { limits: { max: 0, perNetwork: 0 }, trusted: () => false, log }),
    deadlineMs: 60_000,
    log,
    metrics: { handshake: (outcome) => void outcomes.push(outcome) },
    serve: (socket) => {
      served.push(listener.servedOf(socket))
      http.emit('connection', socket)
    },
  })
  await once(listener.server.listen(0, '127.0.0.1'), 'listening')
  port = (listener.server.address() as AddressInfo).port
  client = tlsClient(port, authority.ca)
})
afterEach(async () => {
  certificates.replace(before)
  await listener.close()
})

async function dial(bytes?: Buffer): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  if (bytes) socket.write(bytes)
  return socket
}

describe('a certificate that turns out to be unusable at its first use', () => {
  const valid = { validUntil: Date.now() + 86_400_000, since: 1, isOfAccount: true, isEnding: false }
  const broken = () =>
    new ServedCertificate({ names: ['lazy.zone.example'], ...valid }, { chain: '', key: '' }, (certificate) => {
      certificates.remove(certificate)
      return false
    })

  it('is refused like an unknown name', async () => {
    certificates.replace([...before, broken()])
    await expect(client.open('lazy.zone.example')).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME' })
    expect(outcomes).toEqual(['unknown_name'])
  })

  it('leaves its name to a wildcard, whose owner the connection then has', async () => {
    const { chain, key } = authority.issue(['*.zone.example'])
    const wildcard = new ServedCertificate({ ...valid, names: ['*.zone.example'], isOfAccount: false }, { chain, key })
    certificates.replace([...before, broken(), wildcard])
    const socket = await client.open('lazy.zone.example')
    expect(socket.getPeerCertificate().subjectaltname).toBe('DNS:*.zone.example')
    await expect.poll(() => served).toEqual([{ name: 'lazy.zone.example', since: 1, isOfAccount: false }])
    socket.destroy()
  })
})

describe('a swap of certificates', () => {
  it.each(['before its first message', 'while it waits', 'after the handshake'])(
    'does not harm a connection %s',
    async (when) => {
      const { chain, key } = authority.issue(['localhost'])
      const swap = () => {
        const facts = {
          names: ['localhost'],
          validUntil: Date.now() + 1e9,
          since: 1,
          isOfAccount: false,
          isEnding: false,
        }
        certificates.replace([new ServedCertificate(facts, { chain, key })])
      }
      if (when === 'while it waits')
        listener.server.prependOnceListener('connection', (server: Socket) => {
          server.once('readable', () => setImmediate(swap))
        })
      const first = client.open('localhost', { rejectUnauthorized: false })
      if (when === 'before its first message') swap()
      const socket = await first
      if (when === 'after the handshake') swap()
      const next = await client.open('localhost')
      expect(next.authorized).toBe(true)
      expect(socket.destroyed).toBe(false)
      for (const one of [socket, next]) one.destroy()
    },
  )
})

it('a certificate that OpenSSL refuses leaves clients without a name the former one, and is logged', async () => {
  const facts = { names: ['localhost'], validUntil: Date.now() + 1e9, since: 1, isOfAccount: false, isEnding: false }
  const replaceBy = (pem: { chain: string; key: string }) => {
    certificates.replace([new ServedCertificate(facts, pem)])
  }
  const issued = authority.issue(['localhost'])
  const mixed = { ...authority.issue(['localhost']), key: issued.key }
  replaceBy(issued)
  lines.length = 0
  replaceBy(mixed)
  expect(lines.join()).toContain('OpenSSL refuses the certificate for localhost')
  const socket = await client.open(undefined)
  expect(socket.authorized).toBe(true)
  // A client is told before the server.
  await expect.poll(() => outcomes).toEqual(['ok'])
  socket.destroy()
  lines.length = 0
  replaceBy(issued)
  expect(lines).toEqual([])
})

it('a swap of the certificate again and again breaks no handshake', async () => {
  const pairs = [1, 2].map(() => authority.issue(['localhost']))
  let swaps = 0
  const swap = () => {
    const { chain, key } = pairs[++swaps % 2]!
    const facts = { names: ['localhost'], validUntil: Date.now() + 1e9, since: 1, isOfAccount: false, isEnding: false }
    certificates.replace([new ServedCertificate(facts, { chain, key })])
  }
  swap()
  const timer = setInterval(swap, 1)
  try {
    for (let round = 0; round < 20; round++) {
      const sockets = await Promise.all(Array.from({ length: 10 }, () => client.open('localhost')))
      // A client is told before the server.
      await expect.poll(() => served).toHaveLength(10 * (round + 1))
      for (const socket of sockets) socket.destroy()
    }
  } finally {
    clearInterval(timer)
  }
  expect(swaps).toBeGreaterThan(20)
  expect(outcomes).toEqual(Array.from({ length: 200 }, () => 'ok'))
})

it.each<[string, (hello: Buffer) => Promise<Socket>]>([
  ['before its first message', () => dial()],
  ['in its first message', (hello) => dial(hello.subarray(0, 50))],
  ['after its first message', (hello) => dial(hello)],
  [
    'when it is answered',
    async (hello) => {
      const socket = await dial(hello)
      await once(socket, 'data')
      return socket
    },
  ],
  [
    'after the handshake',
    async () => {
      const socket = await dial()
      const tls = connectTls({ socket, servername: 'localhost', rejectUnauthorized: false })
      tls.on('error', () => tls.destroy())
      await once(tls, 'secureConnect')
      return socket
    },
  ],
])('a connection that is reset %s leaves nothing behind', async (_, start) => {
  const socket = await start(await helloFor('localhost'))
  socket.resetAndDestroy()
  const open = () => new Promise((resolve) => listener.server.getConnections((__, count) => resolve(count)))
  await expect.poll(open).toBe(0)
  const next = await client.open('localhost', { rejectUnauthorized: false })
  expect(next.getProtocol()).toBe('TLSv1.3')
  next.destroy()
})
