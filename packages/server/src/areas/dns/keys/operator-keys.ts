import { commitCache } from '../../../db/commit-cache.js'
import type { Database } from '../../../db/port.js'
import type { Key, KeyStore } from '../../../ports/dns/protocol/messages.js'
import { OpenedSecrets } from '../../../ports/dns/protocol/opened-secrets.js'
import type { Vault } from '../../../ports/vault/port.js'
import { recentValue } from '../../../shared/recent-value.js'
import { dnsKeyIdentity, isAccountKeyName } from './key.js'
import { dnsKeyStore } from './store.js'

/** How long the names of all keys are kept, in milliseconds. */
const namesMs = 250

/** The operator's keys that sign DNS messages. */
export function operatorKeys(database: Database, vault: Vault): KeyStore {
  const store = dnsKeyStore(database)
  const secrets = new OpenedSecrets(vault)

  async function find(names: readonly string[]): Promise<ReadonlyMap<string, Key>> {
    const rows = await store.byNames(names)
    const opened = await secrets.open(rows.map(({ name, sealed }) => ({ sealed, identity: dnsKeyIdentity(name) })))
    return new Map(
      rows.flatMap(({ name, algorithm }, at): [string, Key][] => {
        const secret = opened[at]
        const signer = () => ({ kind: 'operator', name }) as const
        return secret === undefined ? [] : [[name, { name, algorithm, secret, signer }]]
      }),
    )
  }

  const byName = commitCache(database, find)
  // Anybody can send messages with invented names: they must not read the database. A new key works after a quarter of a second at most.
  const names = recentValue(async () => new Set((await store.list()).map(({ name }) => name)), namesMs)
  return { byName: async (name) => (!isAccountKeyName(name) && (await names()).has(name) ? byName(name) : undefined) }
}
