import { Client, type buildConnector } from 'undici'
import { guardedConnections } from './guarded-connections.js'
import type { NameAddresses } from './name-addresses.js'
import { TargetError, type TargetRequest, type UserTargets } from './port.js'
import { targetProblem } from './target-url.js'
import { reasonOf } from './reason.js'

/** Milliseconds for a request and its answer, the look-up of the name included. */
const usualDeadlineMs = 10_000

/** The longest body of an answer that is read before the connection is closed. Some servers end their work when it is closed early. */
const readAtMostBytes = 16_384
const maxHeaderSize = 16_384

export interface UserTargetsOptions {
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  readonly deadlineMs?: number
  readonly addressesOf?: NameAddresses
}

/** Sends requests with undici, over guarded connections. */
export function userTargets(options: UserTargetsOptions): UserTargets {
  const { deadlineMs = usualDeadlineMs } = options
  const { areReachable, connector: connect } = guardedConnections({ ...options, deadlineMs })
  const problemOf = (url: string) => targetProblem(url, areReachable)

  async function send(url: string, request: TargetRequest): Promise<number> {
    const problem = problemOf(url)
    if (problem !== undefined) throw new TargetError(`The target ${problem}.`)
    const deadline = new AbortController()
    const timer = setTimeout(() => {
      deadline.abort(new TargetError(`The target has not answered within ${String(deadlineMs / 1000)} seconds.`))
    }, deadlineMs)
    const stop = () => {
      deadline.abort(new TargetError('The request was stopped.'))
    }
    request.signal.addEventListener('abort', stop)
    if (request.signal.aborted) stop()
    try {
      return await exchange(new URL(url), request, connect, deadline.signal)
    } catch (error) {
      throw error instanceof TargetError ? error : new TargetError(reasonOf(error), { cause: error })
    } finally {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
    }
  }
  return { problemOf, send }
}

/** Each request has a client and a connection: an answer that does not end cannot occupy one that others wait for. */
async function exchange(
  url: URL,
  { method, headers, body }: TargetRequest,
  connect: buildConnector.connector,
  signal: AbortSignal,
): Promise<number> {
  const client = new Client(url.origin, { connect, maxHeaderSize })
  try {
    const path = url.pathname + url.search
    const answer = await client.request({ path, method, headers: [...headers], body, signal })
    await answer.body.dump({ limit: readAtMostBytes })
    return answer.statusCode
  } finally {
    await client.destroy()
  }
}
