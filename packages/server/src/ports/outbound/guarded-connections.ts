import { isIPv6, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { nameAddresses, type NameAddresses } from './name-addresses.js'
import { TargetError } from './port.js'
import { reachableAddresses, type AreReachable } from './public-networks.js'
import { literalAddress, notPublic } from './target-url.js'

/** Large services have up to about ten. Each one is parsed and compared with the addresses of this machine. */
const addressesMax = 16

export interface GuardOptions {
  /** Networks in CIDR notation that are reachable although they are private. */
  readonly allowed: readonly string[]
  /** Milliseconds for a connection. */
  readonly deadlineMs: number
  readonly addressesOf?: NameAddresses
  /** Servers that the operator has named, as `host:port` without brackets: their addresses may be private. */
  readonly trusted?: readonly string[]
}

/** Opens connections to public addresses only. The addresses of a name are checked in the look-up of the connection: there is no second look-up. */
export interface GuardedConnections {
  readonly areReachable: AreReachable
  /** For HTTP. Fails with a TargetError. */
  readonly connector: buildConnector.connector
  /** For `node:net`, with `autoSelectFamily`. Fails with a TargetError. Node.js does not look up addresses, so a host must be a name. */
  readonly lookup: LookupFunction
}

export function guardedConnections(options: GuardOptions): GuardedConnections {
  const { allowed, deadlineMs, addressesOf = nameAddresses(), trusted = [] } = options
  const areReachable = reachableAddresses(allowed)
  const lookup = guardedLookup(areReachable, addressesOf)
  // With autoSelectFamily, Node.js takes a list of addresses.
  const connect = buildConnector({ lookup, autoSelectFamily: true, timeout: deadlineMs })
  const connectAnywhere = buildConnector({ autoSelectFamily: true, timeout: deadlineMs })
  const connector: buildConnector.connector = (to, callback) => {
    const address = literalAddress(to)
    if (trusted.includes(`${address ?? to.hostname}:${to.port || defaultPort(to.protocol)}`)) {
      connectAnywhere(to, callback)
      return
    }
    if (address === undefined || areReachable(address)) connect(to, callback)
    else callback(new TargetError(`The target ${notPublic}.`), null)
  }
  return { areReachable, connector, lookup }
}

const defaultPort = (protocol: string): string => (protocol === 'https:' ? '443' : '80')

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
