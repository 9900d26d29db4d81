import { noteChange } from '../../../db/change-clock-store.js'
import { textList } from '../../../db/json-list.js'
import type { Database, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { isCurrentKey } from '../../vault/key-store.js'
import { staleKey, type Sealed, type SecretIdentity, type Vault } from '../../vault/port.js'
import { keyToPem } from './x509.js'
import type { KeyObject } from 'node:crypto'

/** Ordered certificates. System store: they are those of the installation. */

/** The names of one certificate, sorted, as a JSON array: they identify it through all renewals. */
export type NamesKey = string

export const namesKeyOf = (names: readonly string[]): NamesKey => JSON.stringify(names.toSorted())
const namesOf = (key: NamesKey): readonly string[] => JSON.parse(key) as string[]

/** A certificate whose order, or question to the CA, is due. */
export interface DueCertificate {
  readonly id: number
  readonly names: readonly string[]
  readonly failures: number
  /** PEM; null before the first order. */
  readonly chain: string | null
  /** Milliseconds since the epoch; null before the first order. */
  readonly renewAt: number | null
  /** The same. */
  readonly orderedAt: number | null
  /** The end of the lease, in milliseconds since the epoch: it identifies the lease. */
  readonly leasedUntil: number
}

/** An ordered certificate with its key, as it is served. */
export interface StoredCertificate {
  readonly id: number
  readonly names: readonly string[]
  readonly chain: string
  /** In PEM; undefined if it does not decrypt. */
  readonly key: string | undefined
  /** When the first certificate for these names was stored, in milliseconds since the epoch. */
  readonly since: number
}

/** A lease of a certificate. A process whose lease is over changes nothing: another one may have taken the certificate. */
export type Lease = Pick<DueCertificate, 'id' | 'leasedUntil'>

const due = prepared((db, p: { wanted: string; now: number }, dialect) =>
  db
    .selectFrom('certificate')
    .where('names', 'in', textList(p.wanted, dialect))
    .where('next_at', '<=', p.now)
    .where('leased_until', '<=', p.now)
    .select(['id', 'names', 'failures', 'chain', 'renew_at', 'ordered_at'])
    .orderBy('next_at')
    .limit(1)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked()),
)

const lease = prepared((db, p: { id: number; until: number }) =>
  db.updateTable('certificate').set({ leased_until: p.until }).where('id', '=', p.id),
)

const extend = prepared((db, p: Lease & { until: number }) =>
  db
    .updateTable('certificate')
    .set({ leased_until: p.until })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil)
    .returning('id'),
)

const release = prepared((db, p: Lease & { nextAt: number }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.nextAt, leased_until: 0 })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
)

const endLease = prepared((db, p: Lease) =>
  db
    .updateTable('certificate')
    .set({ leased_until: 0 })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
)

const want = prepared((db, p: { names: string; now: number }) =>
  db
    .insertInto('certificate')
    .values({ names: p.names, next_at: p.now, failures: 0 })
    .onConflict((conflict) => conflict.column('names').doNothing()),
)

/** What is stored of a new certificate; times are milliseconds since the epoch. */
export interface Stored extends Lease {
  readonly chain: string
  readonly now: number
  readonly nextAt: number
  readonly renewAt: number
}

const replace = prepared((db, p: Stored & { masterKeyId: string; sealed: Buffer }) =>
  db
    .updateTable('certificate')
    .set((row) => ({
      chain: p.chain,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
      since: row.fn.coalesce('since', row.val(p.now)),
      next_at: p.nextAt,
      renew_at: p.renewAt,
      ordered_at: p.now,
      failures: 0,
      error: null,
    }))
    .where('id', '=', p.id),
)

/** `svc tls renew` has changed `renew_at` meanwhile: then the certificate stays due. */
const postpone = prepared((db, p: Lease & { planned: number | null; nextAt: number; renewAt: number }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.nextAt, renew_at: p.renewAt })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil)
    .where('renew_at', '=', p.planned),
)

const fail = prepared((db, p: Lease & { nextAt: number; error: string }) =>
  db
    .updateTable('certificate')
    .set((row) => ({ next_at: p.nextAt, error: p.error, failures: row('failures', '+', 1), leased_until: 0 }))
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
)

/** The chain identifies the version of the row that was read. */
const discard = prepared((db, p: { id: number; chain: string; now: number; error: string }) =>
  db
    .updateTable('certificate')
    .set({
      chain: null,
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

const served = prepared((db, _: object) =>
  db
    .selectFrom('certificate')
    .where('chain', 'is not', null)
    .select(['id', 'names', 'chain', 'sealed', 'since'])
    .orderBy('id')
    .limit(10_000),
)

const states = prepared((db, _: object) =>
  db
    .selectFrom('certificate')
    .select(['id', 'names', 'chain', 'error', 'next_at as nextAt', 'renew_at as renewAt'])
    .orderBy('id')
    .limit(10_000),
)

const queue = prepared((db, p: { id: number; now: number }) =>
  db.updateTable('certificate').set({ next_at: p.now, renew_at: p.now }).where('id', '=', p.id),
)

/** Served by the unique names. */
const retry = prepared((db, p: { wanted: string; now: number }, dialect) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.now })
    .where('names', 'in', textList(p.wanted, dialect))
    .where('next_at', '>', p.now),
)

const claimDue = unit(import.meta, 'claimDue', async (tx, wanted: string, now: number, until: number) => {
  const row = await tx.one(due, { wanted, now })
  if (row !== undefined) tx.send(lease, { id: row.id, until })
  return row
})

const extendLease = unit(import.meta, 'extendLease', async (tx, { id, leasedUntil }: Lease, until: number) => {
  const extended = await tx.one(extend, { id, leasedUntil, until })
  return extended !== undefined
})

const releaseCertificate = unit(
  import.meta,
  'releaseCertificate',
  async (tx, { id, leasedUntil }: Lease, nextAt: number) => {
    tx.send(release, { id, leasedUntil, nextAt })
  },
)

const wantCertificates = unit(import.meta, 'wantCertificates', async (tx, keys: readonly NamesKey[], now: number) => {
  // One by one: a server has few names, and all statements are sent together.
  for (const names of keys) tx.send(want, { names, now })
})

const storeCertificate = unit(
  import.meta,
  'storeCertificate',
  async (tx, stored: Stored, { masterKeyId, bytes }: Sealed) => {
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    // Also after the end of the lease: a certificate that has come must not be lost.
    tx.send(replace, { ...stored, masterKeyId, sealed: Buffer.from(bytes) })
    tx.send(endLease, { id: stored.id, leasedUntil: stored.leasedUntil })
    noteChange(tx, 'certificates')
    return undefined
  },
)

const postponeCertificate = unit(
  import.meta,
  'postponeCertificate',
  async (tx, { id, leasedUntil }: Lease, planned: number | null, times: Pick<Stored, 'nextAt' | 'renewAt'>) => {
    tx.send(postpone, { id, leasedUntil, planned, ...times })
    tx.send(endLease, { id, leasedUntil })
  },
)

const failCertificate = unit(
  import.meta,
  'failCertificate',
  async (tx, { id, leasedUntil }: Lease, nextAt: number, error: string) => {
    tx.send(fail, { id, leasedUntil, nextAt, error })
  },
)

const discardCertificate = unit(
  import.meta,
  'discardCertificate',
  async (tx, id: number, chain: string, now: number, error: string) => {
    tx.send(discard, { id, chain, now, error })
  },
)

const queueCertificate = unit(import.meta, 'queueCertificate', async (tx, id: number, now: number) => {
  tx.send(queue, { id, now })
  noteChange(tx, 'wanted-certificates')
})

const retryCertificates = unit(import.meta, 'retryCertificates', async (tx, wanted: string, now: number) => {
  tx.send(retry, { wanted, now })
})

/** What the key of a certificate is encrypted for. */
export const certificateIdentity = (names: NamesKey): SecretIdentity => ['certificate', 0, names]

/** A certificate, without its key, as an operator sees it. Times are milliseconds since the epoch. */
export interface ListedCertificate extends Pick<DueCertificate, 'id' | 'names' | 'chain' | 'renewAt'> {
  /** Why the last order failed; null after a success. */
  readonly error: string | null
  readonly nextAt: number
}

/** All certificates, without their keys. */
export const certificateList = async (reader: Reader): Promise<ListedCertificate[]> =>
  (await reader.all(states, {})).map(({ names, ...row }) => ({ ...row, names: namesOf(names) }))

/** Makes a certificate due: the servers order it at once, whatever has failed before. An order that is under way goes on. */
export const queueRenewal = (db: Database, id: number): Promise<void> => db.write(queueCertificate, id, Date.now())

export type CertificateStore = ReturnType<typeof certificateStore>

export const certificateStore = (db: Database, vault: Pick<Vault, 'seal' | 'open' | 'openAll'>) => ({
  /** Makes sure that each certificate has a row: new ones are due at once. */
  want: (wanted: readonly NamesKey[], now: number): Promise<void> => db.write(wantCertificates, wanted, now),

  /** Makes certificates due. */
  retry: (keys: readonly NamesKey[], now: number): Promise<void> =>
    db.write(retryCertificates, JSON.stringify(keys), now),

  /** Takes the certificate that has been due longest: no other process takes it during the lease. @param leaseMs milliseconds */
  async claim(wanted: readonly NamesKey[], now: number, leaseMs: number): Promise<DueCertificate | undefined> {
    const leasedUntil = now + leaseMs
    const row = await db.write(claimDue, JSON.stringify(wanted), now, leasedUntil)
    if (row === undefined) return undefined
    const { names, renew_at: renewAt, ordered_at: orderedAt, ...rest } = row
    return { ...rest, names: namesOf(names), renewAt, orderedAt, leasedUntil }
  },

  /** @param until the new end, in milliseconds since the epoch @returns false for a lease that another process has taken */
  extend: ({ id, leasedUntil }: Lease, until: number): Promise<boolean> =>
    db.write(extendLease, { id, leasedUntil }, until),

  /** Ends the lease of a certificate whose order was interrupted. @param nextAt when it is repeated, in milliseconds since the epoch */
  release: ({ id, leasedUntil }: Lease, nextAt: number): Promise<void> =>
    db.write(releaseCertificate, { id, leasedUntil }, nextAt),

  /** Replaces a certificate and its key. @param times milliseconds since the epoch */
  replace: (
    { id, leasedUntil, names }: Lease & Pick<DueCertificate, 'names'>,
    { chain, key }: { readonly chain: string; readonly key: KeyObject },
    times: Pick<Stored, 'now' | 'nextAt' | 'renewAt'>,
  ): Promise<undefined> =>
    vault.seal<undefined>(keyToPem(key), certificateIdentity(namesKeyOf(names)), (sealed) =>
      db.write(storeCertificate, { id, leasedUntil, chain, ...times }, sealed),
    ),

  /** Plans a renewal, and ends the lease. @param planned the renewal time that the lease was taken with */
  postpone: (
    { id, leasedUntil }: Lease,
    planned: number | null,
    { nextAt, renewAt }: Pick<Stored, 'nextAt' | 'renewAt'>,
  ): Promise<void> => db.write(postponeCertificate, { id, leasedUntil }, planned, { nextAt, renewAt }),

  /** Remembers why an order failed, and when it is repeated. What is valid stays. */
  fail: ({ id, leasedUntil }: Lease, nextAt: number, error: string): Promise<void> =>
    db.write(failCertificate, { id, leasedUntil }, nextAt, error),

  /** Forgets a certificate that cannot be used, and makes it due. */
  discard: ({ id, chain }: Pick<StoredCertificate, 'id' | 'chain'>, error: string): Promise<void> =>
    db.write(discardCertificate, id, chain, Date.now(), error),

  /** All ordered certificates. */
  async all(): Promise<StoredCertificate[]> {
    const rows = (await db.all(served, {})).flatMap(({ chain, sealed, since, ...row }) =>
      chain === null || sealed === null || since === null ? [] : [{ ...row, chain, sealed, since }],
    )
    const keys = await vault.openAll(
      rows.map(({ names, sealed }) => ({ sealed, identity: certificateIdentity(names) })),
    )
    return rows.map(({ id, names, chain, since }, index) => ({
      id,
      names: namesOf(names),
      chain,
      since,
      key: keys[index],
    }))
  },
})
