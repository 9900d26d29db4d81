import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import type { Database, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { isCurrentKey } from '../../vault/key-store.js'
import { staleKey, type Sealed, type SecretIdentity, type StaleKey, type Vault } from '../../vault/port.js'
import { keyFromPem, keyToPem, newKey } from './x509.js'

/** The keys of the accounts at CAs. System store: they are those of the installation. */

const keyAt = prepared((db, p: { directory: string }) =>
  db.selectFrom('acme_account').where('directory', '=', p.directory).select('sealed'),
)

/** There is one for each CA that the server has used. */
const all = prepared((db, _: object) =>
  db.selectFrom('acme_account').select(['directory', 'sealed']).orderBy('id').limit(100),
)

interface NewKey {
  readonly directory: string
  readonly masterKeyId: string
  readonly sealed: Buffer
}

const insert = prepared((db, p: NewKey) =>
  db
    .insertInto('acme_account')
    .values({ directory: p.directory, master_key_id: p.masterKeyId, sealed: p.sealed })
    .onConflict((conflict) => conflict.column('directory').doNothing()),
)

/** Of two processes that replace a key, one does. */
const replace = prepared((db, p: NewKey & { lost: Buffer }) =>
  db
    .updateTable('acme_account')
    .set({ master_key_id: p.masterKeyId, sealed: p.sealed })
    .where('directory', '=', p.directory)
    .where('sealed', '=', p.lost),
)

/** @param lost the key that is replaced; undefined without one */
const storeKey = unit(
  import.meta,
  'storeKey',
  async (
    tx,
    directory: string,
    { masterKeyId, bytes }: Sealed,
    lost: Uint8Array | undefined,
  ): Promise<StaleKey | undefined> => {
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    const key = { directory, masterKeyId, sealed: Buffer.from(bytes) }
    if (lost === undefined) tx.send(insert, key)
    else tx.send(replace, { ...key, lost: Buffer.from(lost) })
    return undefined
  },
)

/** What the key of the account at a CA is encrypted for. */
export const acmeAccountIdentity = (directory: string): SecretIdentity => ['acme_account', 0, directory]

/** The directories of the CAs whose account keys do not decrypt: the next order opens another account. */
export async function lostAccounts(reader: Reader, vault: Pick<Vault, 'openAll'>): Promise<readonly string[]> {
  const accounts = await reader.all(all, {})
  const keys = await vault.openAll(
    accounts.map(({ directory, sealed }) => ({ sealed, identity: acmeAccountIdentity(directory) })),
  )
  return accounts.flatMap(({ directory }, index) => (keys[index] === undefined ? [directory] : []))
}

export type AccountKeyStore = ReturnType<typeof accountKeyStore>

export const accountKeyStore = (db: Database, vault: Pick<Vault, 'seal' | 'openAll'>, log: Pick<Logger, 'error'>) => ({
  /** The key of the account at a CA: all processes use the same one. One that does not decrypt is replaced: the CA then opens another account. */
  async keyOf(directory: string): Promise<KeyObject> {
    const identity = acmeAccountIdentity(directory)
    const read = async () => {
      const sealed = (await db.one(keyAt, { directory }))?.sealed
      const [pem] = sealed === undefined ? [] : await vault.openAll([{ sealed, identity }])
      return { sealed, pem }
    }
    const { sealed: lost, pem } = await read()
    if (pem !== undefined) return keyFromPem(pem)
    if (lost !== undefined)
      log.error({ directory }, 'the key of the account at the CA does not decrypt: another account is opened')
    await vault.seal<undefined>(keyToPem(newKey()), identity, (sealed) => db.write(storeKey, directory, sealed, lost))
    const stored = await read()
    if (stored.pem === undefined) throw new Error('The key of the ACME account was not stored.')
    return keyFromPem(stored.pem)
  },
})
