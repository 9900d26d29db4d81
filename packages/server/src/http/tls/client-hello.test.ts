import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import { beforeAll, describe, expect, it } from 'vitest'
import { alerts, readClientHello } from './client-hello.js'

/** The first message of Node's own client. */
async function helloOf(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ ...options, port: (server.address() as AddressInfo).port })
  client.on('error', () => client.destroy())
  const [socket] = (await once(server, 'connection')) as [Socket]
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  server.close()
  return bytes
}

let bytes: Buffer
beforeAll(async () => {
  bytes = await helloOf({ servername: 'API.example.com', ALPNProtocols: ['h2', 'http/1.1'] })
})

const expected = { kind: 'hello', hello: { serverName: 'api.example.com', protocols: ['h2', 'http/1.1'] } }

it.each<[string, ConnectionOptions, unknown]>([
  ['neither', {}, { serverName: undefined, protocols: [] }],
  ['TLS 1.2', { maxVersion: 'TLSv1.2', servername: 'a.b' }, { serverName: 'a.b', protocols: [] }],
  ['TLS 1.3', { minVersion: 'TLSv1.3', ALPNProtocols: ['acme-tls/1'] }, { protocols: ['acme-tls/1'] }],
])('reads name and protocols of a client with %s', async (_, options, hello) => {
  expect(readClientHello(await helloOf(options))).toMatchObject({ kind: 'hello', hello })
})

it('reads the name in lower case, also with bytes of a second message behind', () => {
  expect(readClientHello(bytes)).toEqual(expected)
  expect(readClientHello(Buffer.concat([bytes, Buffer.from('more')]))).toEqual(expected)
})

it.each(['\0', ' ', '/', '\u00ff'])('reads a name with %j as one that no certificate has', (character) => {
  const damaged = Buffer.from(bytes)
  damaged.write(character, bytes.toString('latin1').toLowerCase().indexOf('api.example.com'), 'latin1')
  expect(readClientHello(damaged)).toMatchObject({ kind: 'hello', hello: { serverName: '' } })
})

it('waits for more at every cut', () => {
  for (let length = 0; length < bytes.length; length++)
    expect(readClientHello(bytes.subarray(0, length))).toEqual({ kind: 'incomplete' })
})

const record = (content: Buffer, type = 22, major = 3) =>
  Buffer.concat([Buffer.from([type, major, 1, content.length >> 8, content.length & 255]), content])

it('joins a message that records split', () => {
  const message = bytes.subarray(5)
  for (const cut of [1, 3, 4, 5, 100])
    expect(readClientHello(Buffer.concat([record(message.subarray(0, cut)), record(message.subarray(cut))]))).toEqual(
      expected,
    )
})

describe('rejects', () => {
  const malformed = (alert: number) => ({ kind: 'malformed', alert })
  const tiny = () => Array.from({ length: 100 }, (_, at) => record(bytes.subarray(5 + at, 6 + at)))
  it.each<[string, () => Buffer, unknown]>([
    ['HTTP', () => Buffer.from('GET / HTTP/1.1\r\n'), { kind: 'http' }],
    ['an SSH client', () => Buffer.from('\0SSH-2.0'), malformed(alerts.unexpectedMessage)],
    ['SSL 2', () => Buffer.from([0x80, 0x2e, 1, 3, 1]), malformed(alerts.unexpectedMessage)],
    ['a record of application data', () => record(bytes, 23), malformed(alerts.unexpectedMessage)],
    ['another version of records', () => record(bytes.subarray(5), 22, 4), malformed(alerts.unexpectedMessage)],
    ['an empty record', () => record(Buffer.alloc(0)), malformed(alerts.unexpectedMessage)],
    ['another message', () => record(Buffer.from([2, 0, 0, 1, 0])), malformed(alerts.unexpectedMessage)],
    ['a long record', () => Buffer.from([22, 3, 1, 0xff, 0xff, 1]), malformed(alerts.recordOverflow)],
    ['a message of megabytes', () => record(Buffer.from([1, 0x7f, 0, 0, 0])), malformed(alerts.decodeError)],
    ['a hundred records for one message', () => Buffer.concat(tiny()), malformed(alerts.decodeError)],
    ['an empty message', () => record(Buffer.from([1, 0, 0, 0])), malformed(alerts.decodeError)],
  ])('%s', (_, input, answer) => {
    expect(readClientHello(input())).toEqual(answer)
  })

  it('no damaged message with an exception', () => {
    for (let at = 5; at < bytes.length; at++)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const damaged = Buffer.from(bytes)
        damaged[at] = value
        expect(['hello', 'incomplete', 'malformed']).toContain(readClientHello(damaged).kind)
      }
  })
})
