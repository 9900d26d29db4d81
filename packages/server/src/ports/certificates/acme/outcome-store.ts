import { X509Certificate, type KeyObject } from 'node:crypto'
import { noteChange } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Actor } from '../../../shared/actor.js'
import { isCurrentKey } from '../../vault/key-store.js'
import { staleKey, type Sealed, type Vault } from '../../vault/port.js'
import { acmeActor, recordFailed, recordStored } from './certificate-event-store.js'
import { certificateIdentity, namesKeyOf } from './certificate-row-store.js'
import type { DueCertificate, Lease } from './lease-store.js'
import { keyToPem } from './x509.js'

/** Outcomes of orders, which end the lease of their certificate. System store. */

const endOf = (chain: string): number => Date.parse(new X509Certificate(chain).validTo)

const endLease = prepared((db, p: Lease) =>
  db
    .updateTable('certificate')
    .set({ leased_until: 0 })
    .where('id', '=', p.id)
    .where('leased_until', '=', p.leasedUntil),
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

const storeCertificate = unit(
  import.meta,
  'storeCertificate',
  async (tx, stored: Stored, { masterKeyId, bytes }: Sealed, actor: Actor) => {
    if (!(await isCurrentKey(tx, masterKeyId))) return staleKey
    await recordStored(tx, stored, actor)
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
  await recordFailed(tx, lease, error)
  tx.send(fail, { ...lease, error })
})

const waitForCertificate = unit(
  import.meta,
  'waitForCertificate',
  async (tx, { id, leasedUntil }: Lease, nextAt: number, error: string) => {
    tx.send(wait, { id, leasedUntil, nextAt, error })
  },
)

/** Outcomes of orders. Times are milliseconds since the epoch. */
export const outcomeStore = (db: Database, vault: Pick<Vault, 'seal'>) => ({
  /** Replaces a certificate and its key. @param times milliseconds since the epoch @param actor the CA if left out */
  replace: (
    { id, leasedUntil, accountId, names }: Lease & Pick<DueCertificate, 'accountId' | 'names'>,
    { chain, key }: { readonly chain: string; readonly key: KeyObject },
    times: Pick<Stored, 'now' | 'nextAt' | 'renewAt'>,
    actor: Actor = acmeActor,
  ): Promise<undefined> =>
    vault.seal<undefined>(keyToPem(key), certificateIdentity(accountId, namesKeyOf(names)), (sealed) =>
      db.write(storeCertificate, { id, leasedUntil, chain, notAfter: endOf(chain), ...times }, sealed, actor),
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
