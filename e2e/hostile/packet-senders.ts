import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { framed, queryPacket } from '../../packages/server/test/dns-ask.js'
import type { RandomPackets } from './dns-packets.js'
import type { Random } from './random.js'

/** Send random packets to a nameserver on 127.0.0.1, no faster than it takes them: the kernel would drop the others. */

interface Sender {
  readonly port: number
  readonly packets: RandomPackets
  readonly numbers: Random
  /** Takes so many of the packets that are left to be sent; 0 at the end. */
  readonly take: (count: number) => number
}

/** Packets between two questions whose answers are awaited. */
const burstMax = 50

/** How often a question is sent, each second, until its answer arrives. */
const attemptsMax = 20

/** @param name a name with an A record @param rcodes counts the answers to all packets by their RCODE */
export async function sendUdp(
  { port, packets, take }: Sender,
  name: string,
  rcodes: Map<number, number>,
): Promise<void> {
  const socket = createSocket('udp4')
  const question = queryPacket(name, 'A')
  let answered: () => void = () => undefined
  socket.on('message', (message) => {
    const code = message.readUInt8(3) & 15
    rcodes.set(code, (rcodes.get(code) ?? 0) + 1)
    if (message.readUInt16BE(0) === question.readUInt16BE(0) && message.readUInt16BE(6) > 0) answered()
  })
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (let left = take(burstMax); left > 0; left = take(burstMax)) {
    for (; left > 0; left--) socket.send(packets.next())
    const isAnswered = new Promise<true>((resolve) => (answered = () => resolve(true)))
    for (let attempt = 0; ; attempt++) {
      if (attempt >= attemptsMax) throw new Error('The nameserver does not answer over UDP.')
      socket.send(question)
      const stop = new AbortController()
      const isOver = await Promise.race([isAnswered, sleep(1000, false, stop).catch(() => false)])
      stop.abort()
      if (isOver) break
    }
  }
  socket.close()
}

/** Opens one connection after another, and reads, half closes or resets each at a random time. */
export async function sendTcp({ port, packets, numbers, take }: Sender): Promise<void> {
  for (let count = take(numbers.integer(1, 20)); count > 0; count = take(numbers.integer(1, 20))) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    // An error of a connection is expected here, and ends it. If a reset fails, Node.js emits no `close`.
    socket.on('error', () => socket.destroy())
    const closed = new Promise((resolve) => socket.once('close', resolve).once('error', resolve))
    const end = numbers.pick(['reset', 'reset', 'half', 'unread', 'read'] as const)
    if (end !== 'unread') socket.resume()
    const stream = Buffer.concat(Array.from({ length: count }, () => framed(packets.next())))
    const resetAt = end === 'reset' ? numbers.integer(0, stream.length) : stream.length
    for (let at = 0; at < resetAt && !socket.destroyed;) {
      const next = Math.min(resetAt, at + numbers.integer(1, stream.length))
      socket.write(stream.subarray(at, next))
      at = next
      if (numbers.integer(0, 2) === 0) await sleep(numbers.integer(0, 3))
    }
    if (end === 'half') {
      socket.end()
      await Promise.race([closed, sleep(100)])
    } else await sleep(numbers.integer(0, 20))
    if (!socket.destroyed) socket.resetAndDestroy()
    await closed
  }
}
