import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { Limiter } from './rate-limit.js'
import { udpMax } from './reply.js'
import type { SafeAnswers } from './safe-answers.js'
import { sparingLog } from './sparing-log.js'

/** What the kernel keeps for us while we are at something else, if it lets us. */
const kernelBuffer = 2 * 1024 * 1024

const slabSize = 64 * 1024

/** Answers that the kernel does not take are kept up to so many octets; further ones are dropped. */
const sendQueueMax = 8 * 1024 * 1024

export interface UdpOptions {
  readonly host: string
  readonly port: number
  readonly answers: SafeAnswers
  readonly limiter: Limiter
  readonly log: Logger
}

export interface UdpListener {
  readonly port: number
  close(): Promise<void>
}

/** Answers one address's packets. */
export async function openUdp({ host, port, answers, limiter, log }: UdpOptions): Promise<UdpListener> {
  const socket = createSocket({
    type: isIPv6(host) ? 'udp6' : 'udp4',
    // The IPv4 addresses have a socket of their own.
    ipv6Only: isIPv6(host),
    recvBufferSize: kernelBuffer,
    sendBufferSize: kernelBuffer,
    // Answers go to where the question came from, an address already: no name to look up for each.
    lookup: (address, _options, done) => {
      done(null, address, 0)
    },
  })
  let slab = Buffer.allocUnsafeSlow(slabSize)
  let used = 0
  socket.on('message', (packet, { address, port: from }) => {
    const allowance = limiter.take(address)
    // Nobody asks from port 0, and nothing can be sent there.
    if (allowance === 'none' || from === 0) return
    if (used + udpMax > slabSize) {
      if (socket.getSendQueueSize() > sendQueueMax) return
      // Another one, not the same again: the kernel may not have taken all of it yet.
      slab = Buffer.allocUnsafeSlow(slabSize)
      used = 0
    }
    const length = answers.answer(packet, slab, used, udpMax, allowance === 'truncated')
    if (length === 0) return
    socket.send(slab.subarray(used, used + length), from, address)
    used += length
  })
  const opened = once(socket, 'listening')
  socket.bind({ port, address: host, exclusive: true })
  try {
    await opened
  } catch (error) {
    socket.close()
    throw error
  }
  const failed = sparingLog(log, 'the nameserver lost a UDP packet')
  socket.on('error', (error) => {
    failed(error, { host })
  })
  return {
    port: socket.address().port,
    close: () =>
      new Promise((done) => {
        socket.close(done)
      }),
  }
}
