import { badRequest } from '@svc/contract/errors'
import type { TsigAlgorithm } from '@svc/contract/limits'
import { byBytes } from '../../../db/dialect.js'
import { isInTexts } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordOperatorEvent } from '../../../journal/event-store.js'
import { newTsigSecret } from '../../../ports/dns/wire/tsig.js'
import { isCurrentKey } from '../../../ports/vault/key-store.js'
import { staleKey, type Vault } from '../../../ports/vault/port.js'
import { quoted } from '../../../shared/quoted.js'
import { dnsKeyIdentity } from './key.js'

/** Keys of the operator that sign DNS messages. Operator store. */

export interface DnsKey {
  readonly name: string
  readonly algorithm: TsigAlgorithm
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** A secondary has one; the nameservers of an installation are few. */
const keysMax = 100

interface NewKey {
  readonly name: string
  readonly algorithm: TsigAlgorithm
  readonly now: number
  readonly masterKeyId: string
  /** A structured clone turns a Buffer into a Uint8Array. */
  readonly sealed: Uint8Array
}

const all = prepared((db, _: object, dialect) =>
  db.selectFrom('dns_key').select(['name', 'algorithm', 'created_at as createdAt']).orderBy('name', byBytes(dialect)),
)

/** Served by the unique index on name. @param p.names JSON array */
const byNames = prepared((db, p: { names: string }, dialect) =>
  db
    .selectFrom('dns_key')
    .where(isInTexts('name', p.names, dialect))
    .select(['name', 'algorithm', 'sealed']),
)

const count = prepared((db, _: object) =>
  db.selectFrom('dns_key').select((row) => row.fn.countAll<number>().as('keys')),
)

const insert = prepared((db, p: Omit<NewKey, 'sealed'> & { sealed: Buffer }) =>
  db
    .insertInto('dns_key')
    .values({ name: p.name, algorithm: p.algorithm, created_at: p.now, master_key_id: p.masterKeyId, sealed: p.sealed })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

const remove = prepared((db, p: { name: string }) => db.deleteFrom('dns_key').where('name', '=', p.name))

const noted = (tx: Transaction, command: string, object: string): void => {
  recordOperatorEvent(tx, { at: Date.now(), command, object, accountId: null })
}

const addKey = unit(import.meta, 'addKey', async (tx, key: NewKey) => {
  if (!(await isCurrentKey(tx, key.masterKeyId))) return staleKey
  const { keys } = await tx.only(count, {})
  if (keys >= keysMax) throw badRequest('name', `is one too many: there are ${String(keys)} keys; remove one first`)
  if ((await tx.run(insert, { ...key, sealed: Buffer.from(key.sealed) })) === 0)
    throw badRequest(
      'name',
      `${quoted(key.name)} is taken by another key: choose another one, or remove that key first`,
    )
  noted(tx, 'svc dns key add', key.name)
  return undefined
})

const removeKey = unit(import.meta, 'removeKey', async (tx, name: string) => {
  const removed = (await tx.run(remove, { name })) > 0
  if (removed) noted(tx, 'svc dns key remove', name)
  return removed
})

export const dnsKeyStore = (db: Database) => ({
  /** By name. */
  list: (): Promise<DnsKey[]> => db.all(all, {}),

  /** With their ciphertexts. Unknown names are left out. */
  byNames: (names: readonly string[]) => db.all(byNames, { names: JSON.stringify(names) }),

  /**
   * Creates a key. Its secret is returned once, in Base64, and stored under the vault.
   * @param name of `checkKeyName` @throws ApiError `bad_request` if another key has the name, or for too many keys
   */
  async add(vault: Vault, name: string, algorithm: TsigAlgorithm): Promise<string> {
    const secret = newTsigSecret(algorithm)
    await vault.seal(secret, dnsKeyIdentity(name), ({ masterKeyId, bytes }) =>
      db.write(addKey, { name, algorithm, now: Date.now(), masterKeyId, sealed: bytes }),
    )
    return secret
  },

  /** @returns false for an unknown name */
  remove: (name: string): Promise<boolean> => db.write(removeKey, name),
})
