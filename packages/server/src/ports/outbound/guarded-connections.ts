import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { nameAddresses, type NameAddresses } from './name-addresses.js'
import { TargetError } from './port.js'
import { reachableAddresses, type AreReachable } from './public-networks.js'
import { literalAddress, notPublic } from './target-url.js'

/** Large services have up to about ten. Each one is parsed and compared with the addresses of this machine. */
const addressesMax = 16

const maxHeaderSize = 16_384

export interface GuardOptions {
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  readonly addressesOf?: NameAddresses
  /** Base URL with a slash at its end that the operator has named: the addresses of its server may be private. */
  readonly trustedUrl?: string | undefined
}

export interface GuardedRequest {
  readonly method?: string
  /** Names and values in turn. `Host` and `Connection: close` are added, `Content-Length` is not. */
  readonly headers: readonly string[]
  readonly body?: Buffer
  /** Aborts the request and its answer. */
  readonly signal: AbortSignal
}

/** Opens connections to public addresses only. The addresses of a name are checked in the look-up of the connection: there is no second look-up. */
export interface GuardedConnections {
  readonly areReachable: AreReachable
  /**
   * Sends a request over a new connection, so that an answer that does not end cannot occupy one that others wait for.
   * @returns the answer, without its body: the caller must destroy it to close the connection
   * @throws TargetError for an address that is not public; TypeError for another protocol than HTTP; Error of `node:http`
   */
  readonly request: (url: URL, request: GuardedRequest) => Promise<IncomingMessage>
  /** For `node:net`, with `autoSelectFamily`. Fails with a TargetError. Node.js does not look up addresses, so a host must be a name. */
  readonly lookup: LookupFunction
}

export function guardedConnections(options: GuardOptions): GuardedConnections {
  const { allowed, addressesOf = nameAddresses(), trustedUrl } = options
  const areReachable = reachableAddresses(allowed)
  const lookup = guardedLookup(areReachable, addressesOf)
  const request = async (url: URL, sent: GuardedRequest) => {
    sent.signal.throwIfAborted()
    // Not the origin: a link or redirect of a registry must not reach other paths of the operator's server.
    if (trustedUrl !== undefined && url.href.startsWith(trustedUrl)) return send(url, sent, undefined)
    const address = literalAddress(url)
    if (address !== undefined && !areReachable(address)) throw new TargetError(`The target ${notPublic}.`)
    return send(url, sent, lookup)
  }
  return { areReachable, request, lookup }
}

/** @param lookup undefined for that of the system */
function send(url: URL, sent: GuardedRequest, lookup: LookupFunction | undefined): Promise<IncomingMessage> {
  const { method, body, signal } = sent
  const headers = ['Host', url.host, ...sent.headers]
  // With autoSelectFamily, Node.js takes a list of addresses.
  const options = { agent: false, autoSelectFamily: true, lookup, maxHeaderSize, method, headers, signal }
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
    request.on('response', resolve).on('error', reject)
    // Without an error if the server switches to another protocol.
    request.on('close', () => {
      reject(new Error('The server closed the connection without an answer.'))
    })
    request.end(body)
  })
}

function guardedLookup(areReachable: AreReachable, addressesOf: NameAddresses): LookupFunction {
  const lookUp = async (name: string) => {
    const addresses = await addressesOf(name)
    if (addresses.length > addressesMax)
      throw new TargetError(`The name of the target has more than ${String(addressesMax)} addresses.`)
    // All of them: otherwise a name could try one private address after another.
    if (!areReachable(...addresses)) throw new TargetError(`The target ${notPublic}.`)
    return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  }
  return (name, _, callback) => {
    lookUp(name).then(
      (addresses) => {
        callback(null, addresses)
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, [])
      },
    )
  }
}
