import { createServer, type Server } from 'node:http'
import { Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connections, type ConnectionLimits } from './connections.js'

let server: Server
let refused: number
let log: string[]
beforeEach(() => {
  server = createServer()
  refused = 0
  log = []
})
afterEach(() => server.closeAllConnections())

function limited(limits: ConnectionLimits): Connections {
  const logger = pino({}, { write: (line: string) => void log.push(line) })
  const trusted = (address: string) => address === '198.51.100.7'
  return new Connections(server, { limits, trusted, log: logger, metrics: { refusedConnection: () => refused++ } })
}

function arrive(remoteAddress: string): Socket {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  server.emit('connection', socket)
  return socket
}

const arriveAll = (count: number, address: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => arrive(address(at)))
const open = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length

const closed = (socket: Socket) => new Promise((resolve) => socket.destroy().once('close', resolve))

describe('the limit of one network', () => {
  it.each([
    ['a /24', (at: number) => `192.0.2.${String(at)}`],
    ['a /24, as a server on :: sees it', (at: number) => `::ffff:192.0.2.${String(at)}`],
    ['a /64', (at: number) => `2001:db8:0:1:${String(at)}::1`],
  ])('applies to %s, and to no other network', (_, address) => {
    limited({ max: 0, perNetwork: 3 })
    expect(open(arriveAll(5, address))).toBe(3)
    expect(refused).toBe(2)
    expect(open(arriveAll(20, (at) => `203.0.${String(at)}.1`))).toBe(20)
    expect(open(arriveAll(20, (at) => `2001:db8:1:${String(at)}::1`))).toBe(20)
  })

  it('does not apply to this machine and the trusted proxies', () => {
    limited({ max: 0, perNetwork: 1 })
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '198.51.100.7'])
      expect(open(arriveAll(5, () => address))).toBe(5)
    expect(open(arriveAll(5, () => '198.51.100.8'))).toBe(0)
  })

  it('has room again after a connection closes, and forgets the network', async () => {
    const connections = limited({ max: 0, perNetwork: 2 })
    const sockets = arriveAll(2, () => '192.0.2.1')
    for (let i = 0; i < 10; i++) {
      await closed(sockets[i] as Socket)
      sockets.push(arrive('192.0.2.2'))
      expect(sockets.at(-1)?.destroyed).toBe(false)
      expect(connections.open.size).toBe(2)
    }
  })
})

describe('the limit of all', () => {
  it('applies to all networks together, with room reserved for this machine and the trusted proxies', () => {
    limited({ max: 4, perNetwork: 0 })
    expect(open(arriveAll(10, (at) => `203.0.${String(at)}.1`))).toBe(4)
    expect(open([arrive('127.0.0.1'), arrive('198.51.100.7')])).toBe(2)
    // Beyond the reserved connections Node.js refuses them itself.
    expect(server.maxConnections).toBe(36)
  })

  it('0 means no limit', () => {
    limited({ max: 0, perNetwork: 0 })
    expect(open(arriveAll(5_000, () => '192.0.2.1'))).toBe(5_000)
    expect(server.maxConnections).toBeUndefined()
  })
})

it('logs refused connections once a minute', () => {
  limited({ max: 1, perNetwork: 0 })
  arriveAll(1_000, () => '192.0.2.1')
  expect(refused).toBe(999)
  expect(log.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 40, refused: 1, open: 1 }])
})
