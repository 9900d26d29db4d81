import { isIPv6, type LookupFunction } from 'node:net'
import { buildConnector, Client } from 'undici'
import { nameAddresses, type NameAddresses } from './name-addresses.js'
import { TargetError, type TargetRequest, type UserTargets } from './port.js'
import { reachableAddresses, type AreReachable } from './public-networks.js'
import { literalAddress, notPublic, targetProblem } from './target-url.js'
import { reasonOf } from './reason.js'

/** Milliseconds for a request and its answer, the look-up of the name included. */
const usualDeadlineMs = 10_000

/** The longest body of an answer that is read before the connection is closed. Some servers end their work when it is closed early. */
const readAtMostBytes = 16_384
const maxHeaderSize = 16_384

/** Large services have up to about ten. Each one is parsed and compared with the addresses of this machine. */
const addressesMax = 16

export interface UserTargetsOptions {
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  readonly deadlineMs?: number
  readonly addressesOf?: NameAddresses
}

/** Sends requests with undici. The addresses of a name are checked in the look-up of the connection: there is no second look-up. */
export function userTargets(options: UserTargetsOptions): UserTargets {
  const { allowed, deadlineMs = usualDeadlineMs, addressesOf = nameAddresses() } = options
  const areReachable = reachableAddresses(allowed)
  const connect = guardedConnector({ areReachable, addressesOf, deadlineMs })
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

interface Guard {
  readonly areReachable: AreReachable
  readonly addressesOf: NameAddresses
  readonly deadlineMs: number
}

function guardedConnector({ areReachable, addressesOf, deadlineMs }: Guard): buildConnector.connector {
  const lookUp = async (name: string) => {
    const addresses = await addressesOf(name)
    if (addresses.length > addressesMax)
      throw new TargetError(`The name of the target has more than ${String(addressesMax)} addresses.`)
    // All of them: otherwise a name could try one private address after another.
    if (!areReachable(...addresses)) throw new TargetError(`The target ${notPublic}.`)
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  }
  const lookup: LookupFunction = (name, _, callback) => {
    lookUp(name).then(
      (addresses) => {
        callback(null, addresses)
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, [])
      },
    )
  }
  // With autoSelectFamily, Node.js takes a list of addresses.
  const connect = buildConnector({ lookup, autoSelectFamily: true, timeout: deadlineMs })
  return (options, callback) => {
    // Node.js looks up no addresses, only names.
    const address = literalAddress(options)
    if (address === undefined || areReachable(address)) connect(options, callback)
    else callback(new TargetError(`The target ${notPublic}.`), null)
  }
}
