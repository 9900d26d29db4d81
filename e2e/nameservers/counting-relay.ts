import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { recordsOf } from '../../packages/server/test/transfer-client.js'
import { freePort } from '../../test/servers/index.js'

/** Relays between one secondary and its primary, and counts how the primary answers requests for transfers. */

/** `refused` is any answer without records. */
type TransferAnswer = 'axfr' | 'ixfr' | 'current' | 'refused'

type TransferRequestType = 'AXFR' | 'IXFR'

export interface CountingRelay {
  /** UDP and TCP, on 127.0.0.1. */
  readonly port: number
  /** How many answers of this kind the primary has given to requests of this type. */
  count(type: TransferRequestType, answer: TransferAnswer): number
  /** Begins to count anew. */
  reset(): void
  stop(): Promise<void>
}

const typeNumbers: Readonly<Record<number, TransferRequestType>> = { 251: 'IXFR', 252: 'AXFR' }

/** How long the primary has for an answer over UDP, in milliseconds. */
const udpMs = 2000

/** @param primaryPort on 127.0.0.1 */
export async function startCountingRelay(primaryPort: number): Promise<CountingRelay> {
  const port = await freePort()
  const counts = new Map<string, number>()
  const count = (type: TransferRequestType, answer: TransferAnswer) => {
    const name = `${type} ${answer}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const sockets = new Set<Socket>()
  const tcp = createServer((client) => {
    const primary = connect(primaryPort, '127.0.0.1')
    const requests = new Map<number, TransferRequestType>()
    for (const socket of [client, primary]) {
      sockets.add(socket)
      const end = () => {
        client.destroy()
        primary.destroy()
      }
      socket.on('error', end).on('close', () => sockets.delete(socket))
    }
    client.on(
      'data',
      splitMessages((request) => noteRequest(requests, request)),
    )
    primary.on(
      'data',
      splitMessages((answer) => countAnswer(requests, answer, count)),
    )
    client.pipe(primary)
    primary.pipe(client)
  })
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  const udp = await openUdp(port, primaryPort, count)
  return {
    port,
    count: (type, answer) => counts.get(`${type} ${answer}`) ?? 0,
    reset: () => counts.clear(),
    stop: async () => {
      udp.close()
      for (const socket of sockets) socket.destroy()
      tcp.close()
      await once(tcp, 'close')
    },
  }
}

type Count = (type: TransferRequestType, answer: TransferAnswer) => void

async function openUdp(port: number, primaryPort: number, count: Count): Promise<UdpSocket> {
  const udp = createSocket('udp4')
  udp.on('message', (request, { port: client, address }) => {
    const requests = new Map<number, TransferRequestType>()
    noteRequest(requests, request)
    const toPrimary = createSocket('udp4')
    const timer = setTimeout(() => toPrimary.close(), udpMs)
    const end = () => {
      clearTimeout(timer)
      toPrimary.close()
    }
    toPrimary.on('error', end).on('message', (answer) => {
      countAnswer(requests, answer, count)
      udp.send(answer, client, address)
      end()
    })
    toPrimary.send(request, primaryPort, '127.0.0.1')
  })
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  return udp
}

/** @returns a listener for the chunks of a stream @param receive called for each message */
function splitMessages(receive: (message: Buffer) => void): (chunk: Buffer) => void {
  let got = Buffer.alloc(0)
  return (chunk) => {
    got = Buffer.concat([got, chunk])
    for (; got.length >= 2 && got.length >= 2 + got.readUInt16BE(0); got = got.subarray(2 + got.readUInt16BE(0)))
      receive(got.subarray(2, 2 + got.readUInt16BE(0)))
  }
}

/** Only questions are decoded: dns-packet does not know all types of other records. */
function noteRequest(requests: Map<number, TransferRequestType>, request: Buffer): void {
  const type = typeNumbers[request.readUInt16BE(questionEnd(request) - 4)]
  if (type !== undefined) requests.set(request.readUInt16BE(0), type)
}

/** Counts the first message of an answer. */
function countAnswer(requests: Map<number, TransferRequestType>, message: Buffer, count: Count): void {
  const id = message.readUInt16BE(0)
  const type = requests.get(id)
  if (type === undefined) return
  requests.delete(id)
  const answers = recordsOf([message])
  const [, second] = answers
  if (answers.length === 0) count(type, 'refused')
  else if (second === undefined) count(type, 'current')
  else count(type, second.type === 'SOA' ? 'ixfr' : 'axfr')
}

/** The offset after the question of a request, whose name is not compressed. */
function questionEnd(message: Buffer): number {
  let at = 12
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) at += length + 1
  return at + 5
}
