import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import { dispatched } from './query.js'
import type { Limiter } from './rate-limit.js'
import { isRefused, udpMax } from './reply.js'
import type { SafeAnswers } from './safe-answers.js'
import type { Dispatcher } from '../protocol/dispatcher.js'
import { throttledLog } from '../../../shared/throttled-log.js'

/** Requested size of the kernel's buffers in octets, for packets that arrive while the event loop is busy. */
const kernelBuffer = 2 * 1024 * 1024

/** Answers are written one after another into slabs of this size, in octets. */
const slabSize = 64 * 1024

/** Maximum octets of answers that wait for the kernel. Further answers are dropped. */
const sendQueueMax = 8 * 1024 * 1024

export interface UdpOptions {
  readonly host: string
  readonly port: number
  readonly answers: SafeAnswers
  readonly dispatcher: Dispatcher
  readonly limiter: Limiter
  readonly log: Logger
}

export interface UdpListener {
  readonly port: number
  close(): Promise<void>
}

/** Opens a UDP socket on one address and answers its packets. */
export async function openUdp({ host, port, answers, dispatcher, limiter, log }: UdpOptions): Promise<UdpListener> {
  const socket = createSocket({
    type: isIPv6(host) ? 'udp6' : 'udp4',
    // IPv4 addresses have separate sockets.
    ipv6Only: isIPv6(host),
    recvBufferSize: kernelBuffer,
    sendBufferSize: kernelBuffer,
    // The destination of an answer is already an IP address: skip the look-up.
    lookup: (address, _options, done) => {
      done(null, address, 0)
    },
  })
  let slab = Buffer.allocUnsafeSlow(slabSize)
  let used = 0
  socket.on('message', (packet, { address, port: from }) => {
    const allowance = limiter.take(address)
    // Port 0 is not a valid source, and nothing can be sent to it.
    if (allowance === 'none' || from === 0) return
    if (used + udpMax > slabSize) {
      if (socket.getSendQueueSize() > sendQueueMax) return
      // A new slab: the kernel may not have taken all answers in the old one yet.
      slab = Buffer.allocUnsafeSlow(slabSize)
      used = 0
    }
    const length = answers.answer(packet, slab, used, udpMax, allowance === 'truncated')
    if (length <= 0) {
      // Beyond the rate limit it is dropped: an unsigned truncated answer to a signed message would be ignored.
      if (length === dispatched && allowance === 'full')
        dispatcher.receiveUdp(packet, address, from, (reply) => sendAlone(socket, reply, from, address))
      return
    }
    const answer = slab.subarray(used, used + length)
    const isPrivate = isRefused(slab, used) && dispatcher.mayAnswer(address)
    used += length
    if (!isPrivate) socket.send(answer, from, address)
    else dispatcher.receiveUdp(packet, address, from, (reply) => sendAlone(socket, reply, from, address), answer)
  })
  const opened = once(socket, 'listening')
  socket.bind({ port, address: host, exclusive: true })
  try {
    await opened
  } catch (error) {
    socket.close()
    throw error
  }
  const logFailure = throttledLog(log, 'the nameserver lost a UDP packet')
  socket.on('error', (error) => {
    logFailure(error, { host })
  })
  return {
    port: socket.address().port,
    close: () =>
      new Promise((done) => {
        socket.close(done)
      }),
  }
}

function sendAlone(socket: Socket, reply: Buffer, port: number, address: string): void {
  if (socket.getSendQueueSize() <= sendQueueMax) socket.send(reply, port, address)
}
