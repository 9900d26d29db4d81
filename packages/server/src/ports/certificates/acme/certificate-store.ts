import { noteChange } from '../../../db/change-clock-store.js'
import { isInNumbers, textList } from '../../../db/json-list.js'
import type { Database, Dialect, Reader } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { sql, type Kysely } from 'kysely'
import { unit } from '../../../db/unit.js'
import { isCurrentKey } from '../../vault/key-store.js'
import { staleKey, type Sealed, type SecretIdentity, type Vault } from '../../vault/port.js'
import { keyToPem } from './x509.js'
import { X509Certificate, type KeyObject } from 'node:crypto'

/** Ordered certificates. System store: they are those of the installation. */

/** The names of one certificate, sorted, as a JSON array: they identify it through all renewals. */
export type NamesKey = string

export const namesKeyOf = (names: readonly string[]): NamesKey => JSON.stringify(names.toSorted())
export const namesOf = (key: NamesKey): readonly string[] => JSON.parse(key) as string[]

/** A certificate whose order, or question to the CA, is due. */
export interface DueCertificate {
  readonly id: number
  /** Null for one of the server's own. */
  readonly accountId: number | null
  /** The same. */
  readonly zone: string | null
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

/**
 * The condition that no other account has verified the zone of a certificate: otherwise it is neither served nor ordered. Served by
 * dns_claim_verified (zone), a partial index that needs the literal status. A subquery for each row: PostgreSQL could read all claims.
 */
export const isNotOfOthers = sql<boolean>`coalesce((select dns_claim.account_id from dns_claim
  where dns_claim.zone = certificate.zone and dns_claim.status = 'verified'), certificate.account_id, 0)
  = coalesce(certificate.account_id, 0)`

const endOf = (chain: string): number => Date.parse(new X509Certificate(chain).validTo)

/** A lease of a certificate. A process whose lease is over changes nothing: another one may have taken the certificate. */
export type Lease = Pick<DueCertificate, 'id' | 'leasedUntil'>

/** How many orders of one account may be under way. */
const ordersOfAccountMax = 2

/** Served by certificate_due (next_at) and certificate_of_account, a partial index that needs the literal. */
const dueOf = (db: Kysely<Tables>, p: { now: number }, dialect: Dialect) =>
  db
    .selectFrom('certificate')
    .where('wanted', '=', sql.lit(1))
    .where('next_at', '<=', p.now)
    .where('leased_until', '<=', p.now)
    .where(isNotOfOthers)
    // Names that are slow to look up must not keep other accounts waiting.
    .where(
      sql<boolean>`(certificate.account_id is null or ${sql.lit(ordersOfAccountMax)} > (select count(*)
        from certificate as held where held.account_id = certificate.account_id and held.leased_until > ${p.now}))`,
    )
    .select(['id', 'account_id as accountId', 'zone', 'names', 'failures', 'chain', 'renew_at', 'ordered_at'])
    .orderBy('next_at')
    .limit(1)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked())

const due = prepared(dueOf)

/** The same without those of accounts that have failed and have no certificate yet. */
const dueBeforeRepeats = prepared((db, p: { now: number }, dialect) =>
  dueOf(db, p, dialect).where((row) =>
    row.or([row('failures', '=', 0), row('account_id', 'is', null), row('chain', 'is not', null)]),
  ),
)

/** Whether an order of an account has failed before, and there is no certificate yet: its names may never lead here. */
export const isRepeat = ({ accountId, failures, chain }: Pick<DueCertificate, 'accountId' | 'failures' | 'chain'>) =>
  accountId !== null && failures > 0 && chain === null

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
    .values({ names: p.names, created_at: p.now, next_at: p.now, failures: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

/** @param p.names JSON array of those that the server wants for itself */
const wantAgain = prepared((db, p: { names: string }, dialect) =>
  db
    .updateTable('certificate')
    .set({ wanted: 1 })
    .where('account_id', 'is', null)
    .where('wanted', '=', 0)
    .where('names', 'in', textList(p.names, dialect)),
)

/** The same. */
const wantNoOthers = prepared((db, p: { names: string }, dialect) =>
  db
    .updateTable('certificate')
    .set({ wanted: 0 })
    .where('account_id', 'is', null)
    .where('wanted', '=', 1)
    .where('names', 'not in', textList(p.names, dialect)),
)

/** What is stored of a new certificate; times are milliseconds since the epoch. */
export interface Stored extends Lease {
  readonly chain: string
  readonly notAfter: number
  readonly now: number
  readonly nextAt: number
  readonly renewAt: number
}

const replace = prepared((db, p: Stored & { masterKeyId: string; sealed: Buffer }) =>
  db
    .updateTable('certificate')
    .set((row) => ({
      chain: p.chain,
      not_after: p.notAfter,
      master_key_id: p.masterKeyId,
      sealed: p.sealed,
      since: row.fn.coalesce('since', row.val(p.now)),
      next_at: p.nextAt,
      renew_at: p.renewAt,
      ordered_at: p.now,
      failures: 0,
      failing_since: null,
      error: null,
    }))
    .where('id', '=', p.id),
)

/** A failed order, as it is stored. Times are milliseconds since the epoch. */
export interface FailedOrder {
  readonly now: number
  /** When it is repeated. */
  readonly nextAt: number
  /** In a row, with this one. */
  readonly failures: number
}

/** `svc tls renew` has changed `renew_at` meanwhile: then the certificate stays due. */
const postpone = prepared((db, p: Lease & { planned: number | null; nextAt: number; renewAt: number }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.nextAt, renew_at: p.renewAt })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil)
    .where('renew_at', '=', p.planned),
)

const fail = prepared((db, p: Lease & FailedOrder & { error: string }) =>
  db
    .updateTable('certificate')
    .set((row) => ({
      next_at: p.nextAt,
      error: p.error,
      failures: p.failures,
      failing_since: row.fn.coalesce('failing_since', row.val(p.now)),
      leased_until: 0,
    }))
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
)

const wait = prepared((db, p: Lease & { nextAt: number; error: string }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.nextAt, error: p.error, leased_until: 0 })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
)

const states = prepared((db, _: object) =>
  db
    .selectFrom('certificate')
    .where('wanted', '=', 1)
    .select([
      'id',
      'account_id as accountId',
      'names',
      'chain',
      'not_after as notAfter',
      'failing_since as failingSince',
    ])
    .select(['error', 'next_at as nextAt', 'renew_at as renewAt'])
    .orderBy('id')
    .limit(10_000),
)

const queue = prepared((db, p: { id: number; now: number }) =>
  db.updateTable('certificate').set({ next_at: p.now, renew_at: p.now }).where('id', '=', p.id),
)

/** Served by the primary key. @param p.ids JSON array */
const retry = prepared((db, p: { ids: string; now: number }, dialect) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.now })
    .where(isInNumbers('id', p.ids, dialect))
    .where('next_at', '>', p.now),
)

const claimDue = unit(import.meta, 'claimDue', async (tx, now: number, until: number, withRepeats: boolean) => {
  const row = (await tx.one(dueBeforeRepeats, { now })) ?? (withRepeats ? await tx.one(due, { now }) : undefined)
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
  const names = JSON.stringify(keys)
  tx.send(wantAgain, { names })
  tx.send(wantNoOthers, { names })
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

const failCertificate = unit(import.meta, 'failCertificate', async (tx, lease: Lease & FailedOrder, error: string) => {
  tx.send(fail, { ...lease, error })
})

const waitForCertificate = unit(
  import.meta,
  'waitForCertificate',
  async (tx, { id, leasedUntil }: Lease, nextAt: number, error: string) => {
    tx.send(wait, { id, leasedUntil, nextAt, error })
  },
)

const queueCertificate = unit(import.meta, 'queueCertificate', async (tx, id: number, now: number) => {
  tx.send(queue, { id, now })
  noteChange(tx, 'wanted-certificates')
})

const retryCertificates = unit(import.meta, 'retryCertificates', async (tx, ids: string, now: number) => {
  tx.send(retry, { ids, now })
})

/** What the key of a certificate is encrypted for. @param accountId null for one of the server's own */
export const certificateIdentity = (accountId: number | null, names: NamesKey): SecretIdentity => [
  'certificate',
  accountId ?? 0,
  names,
]

/** A certificate, without its key, as an operator sees it. Times are milliseconds since the epoch. */
export interface ListedCertificate extends Pick<DueCertificate, 'id' | 'accountId' | 'names' | 'chain' | 'renewAt'> {
  /** When it expires; null before the first order. */
  readonly notAfter: number | null
  /** Since when orders fail; null after a success. */
  readonly failingSince: number | null
  /** Why the last order failed; null after a success. */
  readonly error: string | null
  readonly nextAt: number
}

/** All certificates that svc renews, without their keys. */
export const certificateList = async (reader: Reader): Promise<ListedCertificate[]> =>
  (await reader.all(states, {})).map(({ names, ...row }) => ({ ...row, names: namesOf(names) }))

/** Makes a certificate due: the servers order it at once, whatever has failed before. An order that is under way goes on. */
export const queueRenewal = (db: Database, id: number): Promise<void> => db.write(queueCertificate, id, Date.now())

export type CertificateStore = ReturnType<typeof certificateStore>

export const certificateStore = (db: Database, vault: Pick<Vault, 'seal' | 'open' | 'openAll'>) => ({
  /** Sets the certificates that the server wants for itself: new ones are due at once, others are not renewed any more. */
  want: (wanted: readonly NamesKey[], now: number): Promise<void> => db.write(wantCertificates, wanted, now),

  /** Makes certificates due. */
  retry: (ids: readonly number[], now: number): Promise<void> => db.write(retryCertificates, JSON.stringify(ids), now),

  /**
   * Takes the certificate that has been due longest, and a repeated order (`isRepeat`) only if no other is due. No other process takes it
   * during the lease.
   * @param leaseMs milliseconds
   */
  async claim(now: number, leaseMs: number, withRepeats = true): Promise<DueCertificate | undefined> {
    const leasedUntil = now + leaseMs
    const row = await db.write(claimDue, now, leasedUntil, withRepeats)
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
    { id, leasedUntil, accountId, names }: Lease & Pick<DueCertificate, 'accountId' | 'names'>,
    { chain, key }: { readonly chain: string; readonly key: KeyObject },
    times: Pick<Stored, 'now' | 'nextAt' | 'renewAt'>,
  ): Promise<undefined> =>
    vault.seal<undefined>(keyToPem(key), certificateIdentity(accountId, namesKeyOf(names)), (sealed) =>
      db.write(storeCertificate, { id, leasedUntil, chain, notAfter: endOf(chain), ...times }, sealed),
    ),

  /** Plans a renewal, and ends the lease. @param planned the renewal time that the lease was taken with */
  postpone: (
    { id, leasedUntil }: Lease,
    planned: number | null,
    { nextAt, renewAt }: Pick<Stored, 'nextAt' | 'renewAt'>,
  ): Promise<void> => db.write(postponeCertificate, { id, leasedUntil }, planned, { nextAt, renewAt }),

  /** Stores why an order failed, and when it is repeated. A valid certificate is kept. */
  fail: ({ id, leasedUntil }: Lease, failure: FailedOrder, error: string): Promise<void> =>
    db.write(failCertificate, { id, leasedUntil, ...failure }, error),

  /** Remembers why an order has not begun, and when it may. That is no failure. */
  wait: ({ id, leasedUntil }: Lease, nextAt: number, error: string): Promise<void> =>
    db.write(waitForCertificate, { id, leasedUntil }, nextAt, error),
})
