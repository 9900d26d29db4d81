import type { Dns } from '../ports/dns/port.js'
import type { KeyStore, ProtocolHandlers } from '../ports/dns/protocol/messages.js'

/** Keys of several kinds, which never have one name. The first store that knows a name has its key. */
const joinedKeys = (stores: readonly KeyStore[]): KeyStore => ({
  async byName(name) {
    for (const store of stores) {
      const key = await store.byName(name)
      if (key !== undefined) return key
    }
    return undefined
  },
})

/**
 * Connects the nameserver of this process with the keys and handlers of the areas. A no-op for an external provider.
 * @param dns or what listens for updates beside an external provider
 */
export function connectProtocols(
  dns: Pick<Dns, 'answerProtocols'>,
  stores: readonly KeyStore[],
  handlers: ProtocolHandlers,
): void {
  dns.answerProtocols?.({ keys: joinedKeys(stores), handlers })
}
