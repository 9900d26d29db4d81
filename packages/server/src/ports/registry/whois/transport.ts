import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Deadline } from '../../dns/deadline.js'
import { TargetError } from '../../outbound/port.js'
import { lateAnswer, longAnswer, privateAddress, RegistryUnavailable, unreachable } from '../errors.js'
import { RegistryError } from '../port.js'

/** The longest answer. The usual one has 3 kB. */
const maxBytes = 256 * 1024

/** The longest time for a whole exchange, and without a byte. */
const exchangeMs = 8_000
const idleMs = 5_000

/** A WHOIS server and the line that it is sent. */
export interface WhoisQuery {
  readonly host: string
  readonly port: number
  readonly line: string
}

export interface WhoisExchange {
  readonly deadline: Deadline
  readonly signal: AbortSignal
  /** Looks up the addresses of the host; undefined for a server that may have any address. */
  readonly lookup: LookupFunction | undefined
}

/**
 * Sends a query, and reads the whole answer until the server closes the connection (RFC 3912).
 * @throws RegistryError also for an answer that is cut off: part of an answer is not data
 */
export function queryWhois(query: WhoisQuery, { deadline, signal, lookup }: WhoisExchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { host, port, line } = query
    const socket = connect({ host, port, autoSelectFamily: true, ...(lookup === undefined ? {} : { lookup }) })
    const timeMs = Math.min(deadline.remainingMs, exchangeMs)
    const timer = setTimeout(() => {
      socket.destroy(timeMs === exchangeMs ? unavailable() : new RegistryError(lateAnswer))
    }, timeMs)
    const stop = () => {
      socket.destroy(new RegistryError('The look-up was stopped.'))
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    // The reader gets the errors, except those after its end.
    socket.on('error', () => undefined)
    socket.setTimeout(idleMs, () => {
      socket.destroy(unavailable())
    })
    // The server closes the connection after its answer. Some take a half-closed one as a client that has left.
    socket.write(`${line}\r\n`)
    readAll(socket).then(resolve, (error: unknown) => {
      reject(failureOf(error))
    })
    socket.on('close', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    })
  })
}

async function readAll(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new RegistryError(longAnswer)
    chunks.push(chunk)
  }
  if (bytes === 0) throw new RegistryUnavailable('The registry closed the connection without an answer.')
  return Buffer.concat(chunks)
}

/** Only for a server that had enough time: one that was asked shortly before the deadline of the call is not unavailable. */
const unavailable = () => new RegistryUnavailable(lateAnswer)

function failureOf(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error
  return error instanceof TargetError
    ? new RegistryError(privateAddress, { cause: error })
    : new RegistryUnavailable(unreachable, { cause: error })
}
