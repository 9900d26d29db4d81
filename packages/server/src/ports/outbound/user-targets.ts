import { guardedConnections, type GuardedConnections } from './guarded-connections.js'
import type { NameAddresses } from './name-addresses.js'
import { bodyStartMaxBytes, TargetError, type TargetAnswer, type TargetRequest, type UserTargets } from './port.js'
import { targetProblem } from './target-url.js'
import { reasonOf } from './reason.js'

/** Milliseconds for a request and its answer, the look-up of the name included. */
const defaultDeadlineMs = 10_000

/** The longest body of an answer that is read before the connection is closed. Some servers end their work when it is closed early. */
const readAtMostBytes = 16_384

export interface UserTargetsOptions {
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  readonly deadlineMs?: number
  readonly addressesOf?: NameAddresses
}

/** Sends requests over guarded connections. */
export function userTargets(options: UserTargetsOptions): UserTargets {
  const { deadlineMs = defaultDeadlineMs } = options
  const connections = guardedConnections(options)
  const problemOf = (url: string) => targetProblem(url, connections.areReachable)

  async function send(url: string, request: TargetRequest): Promise<TargetAnswer> {
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
      return await exchange(new URL(url), { ...request, signal: deadline.signal }, connections)
    } catch (error) {
      const reason: unknown = deadline.signal.aborted ? deadline.signal.reason : error
      throw reason instanceof TargetError ? reason : new TargetError(reasonOf(error), { cause: error })
    } finally {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
    }
  }
  return { problemOf, send }
}

async function exchange(url: URL, sent: TargetRequest, connections: GuardedConnections): Promise<TargetAnswer> {
  const headers = [...sent.headers, 'Content-Length', String(sent.body.byteLength)]
  const answer = await connections.request(url, { ...sent, headers })
  let bytes = 0
  const start: Buffer[] = []
  await new Promise<void>((resolve) => {
    answer.on('data', (chunk: Buffer) => {
      if (bytes < bodyStartMaxBytes) start.push(chunk.subarray(0, bodyStartMaxBytes - bytes))
      bytes += chunk.byteLength
      if (bytes > readAtMostBytes) answer.destroy()
    })
    // The status counts, even if the connection fails in the body.
    answer.on('error', () => undefined).on('close', resolve)
  })
  const { statusCode = 0, headers: answered } = answer
  return { status: statusCode, retryAfter: answered['retry-after'], bodyStart: Buffer.concat(start) }
}
