import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Unfinished answers of each connection. Separate listeners for each of many pipelined requests would result in a warning. */
const unfinished = new WeakMap<Socket, Set<() => void>>()

/**
 * Calls back once, when the answer has ended or its connection has. The connection counts too: Node.js does not report its end
 * to an answer that still waits for an earlier one of the same connection.
 */
export function whenEnded({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, run: () => void): void {
  if (raw.closed || socket.destroyed) {
    run()
    return
  }
  const answers = answersOf(socket)
  const end = () => {
    if (answers.delete(end)) run()
  }
  answers.add(end)
  raw.once('close', end)
}

/**
 * Resolves when an answer is the next one of its connection, or has ended. A download waits for that before it opens anything: a
 * client can send many requests at once, and would otherwise hold files and buffers for each of them.
 */
export function whenNext(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { raw } = reply
  if (raw.socket !== null) return Promise.resolve()
  return new Promise((resolve) => {
    // Node.js has no event for it.
    const assign = raw.assignSocket.bind(raw)
    raw.assignSocket = (socket) => {
      assign(socket)
      resolve()
    }
    whenEnded(request, reply, resolve)
  })
}

function answersOf(socket: Socket): Set<() => void> {
  const known = unfinished.get(socket)
  if (known) return known
  const answers = new Set<() => void>()
  unfinished.set(socket, answers)
  socket.once('close', () => {
    for (const end of answers) end()
  })
  return answers
}
