import { sql, type Kysely } from 'kysely'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { unit } from '../../../db/unit.js'
import { isNotOfOthers, namesOf } from './certificate-row-store.js'

/** Leases: a certificate that is due belongs to one process until its order has ended. System store. */

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

/** Leases of certificates. Times are milliseconds since the epoch. */
export const leaseStore = (db: Database) => ({
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
})
