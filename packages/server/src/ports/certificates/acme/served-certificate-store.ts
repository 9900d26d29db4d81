import { isInNumbers } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Vault } from '../../vault/port.js'
import { certificateIdentity, isNotOfOthers, namesOf } from './certificate-row-store.js'

/** The ordered certificates, as they are served. System store. */

/** An ordered certificate with its key, as it is served. */
export interface StoredCertificate {
  readonly id: number
  /** Null for the server's own. */
  readonly accountId: number | null
  readonly names: readonly string[]
  /** Whether it is renewed. */
  readonly isWanted: boolean
  readonly chain: string
  /** Milliseconds since the epoch; null for one that was stored before svc kept it. */
  readonly validUntil: number | null
  /** In PEM; undefined if it does not decrypt. */
  readonly key: string | undefined
  /** When the first certificate for these names was stored, in milliseconds since the epoch. */
  readonly since: number
}

/** What identifies the content of an ordered certificate. */
export interface CertificateVersion {
  readonly id: number
  readonly version: string
}

/** The chain identifies the version of the row that was read. */
const discard = prepared((db, p: { id: number; chain: string; now: number; error: string }) =>
  db
    .updateTable('certificate')
    .set({
      chain: null,
      not_after: null,
      master_key_id: null,
      sealed: null,
      renew_at: null,
      ordered_at: null,
      next_at: p.now,
      error: p.error,
    })
    .where('id', '=', p.id)
    .where('chain', '=', p.chain),
)

/** The primary key is read to its end: the texts are not. */
const versions = prepared((db, _: object) =>
  db
    .selectFrom('certificate')
    .where('chain', 'is not', null)
    .where(isNotOfOthers)
    .select(['id', 'ordered_at as orderedAt', 'not_after as notAfter', 'wanted'])
    .orderBy('id'),
)

/** @param p.ids JSON array */
const served = prepared((db, p: { ids: string }, dialect) =>
  db
    .selectFrom('certificate')
    .where(isInNumbers('id', p.ids, dialect))
    .select(['id', 'account_id as accountId', 'names', 'wanted', 'chain', 'not_after as notAfter', 'sealed', 'since'])
    .orderBy('id'),
)

const discardCertificate = unit(
  import.meta,
  'discardCertificate',
  async (tx, id: number, chain: string, now: number, error: string) => {
    tx.send(discard, { id, chain, now, error })
  },
)

export type ServedCertificateStore = ReturnType<typeof servedCertificateStore>

export const servedCertificateStore = (db: Database, vault: Pick<Vault, 'openAll'>) => ({
  /** Forgets a certificate that cannot be used, and makes it due. */
  discard: ({ id, chain }: Pick<StoredCertificate, 'id' | 'chain'>, error: string): Promise<void> =>
    db.write(discardCertificate, id, chain, Date.now(), error),

  /** The ordered certificates, except those whose zones have gone to other accounts. An order changes the version, and that it is not wanted any more. */
  async versions(): Promise<readonly CertificateVersion[]> {
    const rows = await db.all(versions, {})
    return rows.map(({ id, ...times }) => ({ id, version: JSON.stringify([id, times]) }))
  },

  /** The certificates with these ids that are there. @param ids at most a hundred: their keys are decrypted in one turn */
  async load(ids: readonly number[]): Promise<StoredCertificate[]> {
    const rows = (await db.all(served, { ids: JSON.stringify(ids) })).flatMap(
      ({ chain, notAfter, sealed, since, ...row }) =>
        chain === null || sealed === null || since === null
          ? []
          : [{ ...row, chain, validUntil: notAfter, sealed, since }],
    )
    const keys = await vault.openAll(
      rows.map(({ accountId, names, sealed }) => ({ sealed, identity: certificateIdentity(accountId, names) })),
    )
    return rows.map(({ sealed: _, names, wanted, ...row }, index) => ({
      ...row,
      names: namesOf(names),
      isWanted: wanted === 1,
      key: keys[index],
    }))
  },
})
