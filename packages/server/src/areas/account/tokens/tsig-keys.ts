import { commitCache } from '../../../db/commit-cache.js'
import type { Database } from '../../../db/port.js'
import { OpenedSecrets } from '../../../ports/dns/protocol/opened-secrets.js'
import type { AccountKeyStore, Key } from '../../../ports/dns/protocol/messages.js'
import type { Vault } from '../../../ports/vault/port.js'
import { recentValue } from '../../../shared/recent-value.js'
import { authenticatingStore, type AuthenticatingKey } from './authenticating-store.js'
import type { tokenAuthenticator } from './authenticator.js'
import { tokenOfKey } from './tsig-name.js'

/** How long the highest id of a token is kept, in milliseconds. */
const highestIdMs = 250

/** More new tokens than this are not created in that time. */
const newIds = 1_000

interface TsigKeysDependencies {
  readonly database: Database
  readonly vault: Vault
  /** The id of this installation. */
  readonly installation: string
  readonly tokens: Pick<ReturnType<typeof tokenAuthenticator>, 'callerOf' | 'callerFor'>
}

interface FoundKey {
  readonly key: Key
  readonly found: AuthenticatingKey
}

/** The keys of accounts that sign DNS messages. System store: the account of a key is not known before. */
export function tsigKeys({ database, vault, installation, tokens }: TsigKeysDependencies): AccountKeyStore {
  const store = authenticatingStore(database)
  const secrets = new OpenedSecrets(vault)

  async function find(ids: readonly number[]): Promise<ReadonlyMap<number, FoundKey>> {
    const found = await store.keysByIds(ids)
    const opened = await secrets.open(found)
    return new Map(found.flatMap((key, at) => entryOf(key, opened[at])))
  }

  function entryOf(found: AuthenticatingKey, secret: Buffer | undefined): [number, FoundKey][] {
    if (secret === undefined) return []
    const { algorithm, token } = found
    const name = `${String(token.id)}.${installation}.key`
    const key: Key = { name, algorithm, secret, signer: ({ address }) => signerOf(found, address) }
    return [[token.id, { key, found }]]
  }

  function signerOf(found: AuthenticatingKey, address: string): ReturnType<Key['signer']> {
    const caller = tokens.callerOf(found, () => address)
    if (caller === undefined) return undefined
    const account = { ...caller.account, actor: { ...caller.account.actor, ip: address } }
    return { kind: 'account', caller: { ...caller, account } }
  }

  const byId = commitCache(database, find)
  const highestId = recentValue(() => store.highestId(), highestIdMs)
  return {
    async byName(name) {
      const id = tokenOfKey(name, installation)
      // Anybody can send messages with invented names: most of them must not read the database.
      if (id === undefined || id > (await highestId()) + newIds) return undefined
      return (await byId(id))?.key
    },

    async forAddress(tokenId, address) {
      const known = await byId(tokenId)
      const caller = known && tokens.callerFor(known.found, () => address)
      return caller && { key: known.key, caller }
    },
  }
}
