import { checkKeyName } from '../areas/dns/keys/key.js'
import { dnsKeyStore, type DnsKey } from '../areas/dns/keys/store.js'
import type { Config } from '../config/config.js'
import type { DatabaseConfig } from '../db/connect.js'
import { openVault } from '../ports/vault/envelope-vault.js'
import { OperatorError } from '../shared/operator-error.js'
import { inTermsOf } from './input.js'
import { showOrUndo } from './show-or-undo.js'
import { tsigAlgorithm, type ShownKey } from './token-tsig.js'
import { withExistingDatabase } from './with-database.js'

export type { DnsKey, ShownKey }

/**
 * `svc dns key add`: creates a key of the operator, which may transfer every zone and the catalog, and never update.
 * @param show prints the key, whose secret is stored encrypted and shown no more; if it fails, the key is removed again
 */
export async function addDnsKey(
  { database, vault }: Pick<Config, 'database' | 'vault'>,
  given: { readonly name: string; readonly algorithm?: string | undefined },
  show: (key: ShownKey) => Promise<void>,
): Promise<void> {
  const name = keyName(given.name)
  const algorithm = tsigAlgorithm(given.algorithm)
  await withExistingDatabase(database, async (db) => {
    const keys = dnsKeyStore(db)
    const secret = await keys.add(await openVault(vault, db), name, algorithm).catch((error: unknown) => {
      throw inTermsOf('NAME', error)
    })
    await showOrUndo(
      () => show({ name, algorithm, secret }),
      async () => {
        await keys.remove(name)
      },
      `the key ${name} is removed again`,
    )
  })
}

/** `svc dns key list`: by name, without secrets. */
export const listDnsKeys = (config: DatabaseConfig): Promise<DnsKey[]> =>
  withExistingDatabase(config, (db) => dnsKeyStore(db).list())

/** `svc dns key remove`: the key is unknown from the next message on. @throws OperatorError for an unknown name */
export async function removeDnsKey(config: DatabaseConfig, given: string): Promise<string> {
  const name = keyName(given)
  const isRemoved = await withExistingDatabase(config, (db) => dnsKeyStore(db).remove(name))
  if (!isRemoved) throw new OperatorError(`There is no key ${name}; svc dns key list shows all.`)
  return name
}

function keyName(text: string): string {
  try {
    return checkKeyName(text)
  } catch (error) {
    throw inTermsOf('NAME', error, 2)
  }
}
