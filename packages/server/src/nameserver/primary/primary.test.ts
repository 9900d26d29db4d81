import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { encode, type Answer } from 'dns-packet'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { framed } from '../../../test/dns-ask.js'
import { address, primaryKey, soa } from '../../../test/fake-primary.js'
import { keyOf } from '../../ports/dns/wire/names.js'
import { TsigSigner } from '../../ports/dns/wire/tsig.js'
import { findTsig } from '../../ports/dns/wire/tsig-record.js'
import { limits } from '../limits.js'
import { Primary } from './primary.js'

/** A primary whose answers are not what the key's owner has signed. */

let server: Server | undefined
let primary: Primary | undefined
afterEach(() => {
  primary?.close()
  server?.close()
})

/** Asks a server for a zone that answers each request with these octets. */
async function transferFrom(reply: (request: Buffer, socket: Socket) => Buffer | undefined): Promise<unknown> {
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      const answer = reply(chunk.subarray(2), socket)
      if (answer === undefined) socket.destroy()
      else socket.write(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const log = pino({ level: 'silent' })
  primary = new Primary({
    address: { host: '127.0.0.1', port },
    key: { ...primaryKey, secret: Buffer.from(primaryKey.secret) },
    limits: { ...limits, idleMs: 200, transferMs: 1_000, transferBytes: 100_000 },
    log,
    count: () => undefined,
  })
  return primary.transfer(keyOf('example.test'), undefined)
}

const wholeZone = (request: Buffer): Buffer =>
  encode({
    id: request.readUInt16BE(0),
    type: 'response',
    questions: [],
    answers: [soa('example.test', 5), soa('example.test', 5)],
  })

const macOf = (request: Buffer): Buffer => findTsig(request)?.mac ?? Buffer.alloc(0)

const signed = (request: Buffer, message: Buffer, secret: Buffer = primaryKey.secret): Buffer =>
  new TsigSigner({ ...primaryKey, secret }, macOf(request)).sign(message, Math.floor(Date.now() / 1000))

it('a signed zone is taken', async () => {
  await expect(transferFrom((request) => framed(signed(request, wholeZone(request))))).resolves.toMatchObject({
    kind: 'whole',
    serial: 5,
  })
})

it.each<[string, (request: Buffer) => Buffer | undefined, string]>([
  ['is not signed', (request) => framed(wholeZone(request)), 'not signed'],
  [
    'is signed with another secret',
    (request) => framed(signed(request, wholeZone(request), Buffer.alloc(32, 8))),
    'signature',
  ],
  [
    'has another id',
    (request) => {
      const message = signed(request, wholeZone(request))
      message.writeUInt16BE(request.readUInt16BE(0) ^ 1, 0)
      return framed(message)
    },
    'not one to the question',
  ],
  ['is a question', (request) => framed(request), 'not one to the question'],
  ['is empty', () => Buffer.from([0, 0]), 'not one to the question'],
  ['is cut off', () => Buffer.from([0, 200, 1]), 'sends nothing'],
  ['ends at once', () => undefined, 'closes the connection'],
  ['is noise', () => Buffer.alloc(400, 0xff), 'sends nothing'],
])('an answer is refused that %s', async (_, reply, problem) => {
  await expect(transferFrom(reply)).rejects.toThrow(problem)
})

it('an answer is refused whose unsigned messages do not end', async () => {
  const message = (request: Buffer) =>
    encode({ id: request.readUInt16BE(0), type: 'response', answers: [soa('example.test', 5)] })
  await expect(
    transferFrom((request) => {
      const first = framed(signed(request, message(request)))
      return Buffer.concat([first, ...Array.from({ length: 200 }, () => framed(message(request)))])
    }),
  ).rejects.toThrow(/not signed|changed|end of the transfer/)
})

it('a transfer that a reset connection cuts off is not completed by the beginning of another answer', async () => {
  const part = (request: Buffer, ...records: Answer[]) =>
    framed(signed(request, encode({ id: request.readUInt16BE(0), type: 'response', answers: records })))
  const own = soa('example.test', 6)
  let requests = 0
  await transferFrom((request, socket) => {
    requests++
    if (requests === 1) return framed(signed(request, wholeZone(request)))
    if (requests > 2) return part(request, own)
    setTimeout(() => socket.resetAndDestroy(), 50)
    return part(request, own, address('www.example.test', '192.0.2.1'))
  })
  await expect(primary?.transfer(keyOf('example.test'), undefined)).rejects.toThrow('ECONNRESET')
})
