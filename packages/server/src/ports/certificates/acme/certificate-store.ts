import { noteChange } from '../../../db/change-clock-store.js'
import { isInNumbers, textList } from '../../../db/json-list.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Vault } from '../../vault/port.js'
import { namesKeyOf, namesOf, type NamesKey } from './certificate-row-store.js'
import { leaseStore, type DueCertificate } from './lease-store.js'
import { outcomeStore } from './outcome-store.js'
import { recordQueued } from './certificate-event-store.js'

/** Ordered certificates. System store: they are those of the installation. */

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
    .select(['error', 'next_at as nextAt', 'renew_at as renewAt', 'leased_until as leasedUntil'])
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

/** One that has no certificate yet. Served by certificate_of_account. */
const retryFirst = prepared((db, p: { accountId: number; names: NamesKey; now: number }) =>
  db
    .updateTable('certificate')
    .set({ next_at: p.now })
    .where('account_id', '=', p.accountId)
    .where('names', '=', p.names)
    .where('chain', 'is', null)
    .where('error', 'is not', null)
    .where('next_at', '>', p.now)
    .where('leased_until', '<=', p.now),
)

/** Makes a first order due that has failed. The limits of orders hold: it is counted when it begins. */
export async function retryFirstOrder(
  tx: Transaction,
  accountId: number,
  names: readonly string[],
  now: number,
): Promise<void> {
  if ((await tx.run(retryFirst, { accountId, names: namesKeyOf(names), now })) > 0)
    noteChange(tx, 'wanted-certificates')
}

const wantCertificates = unit(import.meta, 'wantCertificates', async (tx, keys: readonly NamesKey[], now: number) => {
  // One by one: a server has few names, and all statements are sent together.
  for (const names of keys) tx.send(want, { names, now })
  const names = JSON.stringify(keys)
  const changed = (await tx.run(wantAgain, { names })) + (await tx.run(wantNoOthers, { names }))
  if (changed > 0) noteChange(tx, 'certificates')
})

const queueCertificate = unit(import.meta, 'queueCertificate', async (tx, id: number, now: number) => {
  tx.send(queue, { id, now })
  await recordQueued(tx, id, now)
  noteChange(tx, 'wanted-certificates')
})

const retryCertificates = unit(import.meta, 'retryCertificates', async (tx, ids: string, now: number) => {
  tx.send(retry, { ids, now })
})

/** A certificate, without its key, as an operator sees it. Times are milliseconds since the epoch. */
export interface ListedCertificate extends Pick<DueCertificate, 'id' | 'accountId' | 'names' | 'chain' | 'renewAt'> {
  /** When it expires; null before the first order. */
  readonly notAfter: number | null
  /** Since when orders fail; null after a success. */
  readonly failingSince: number | null
  /** Why the last order failed; null after a success. */
  readonly error: string | null
  readonly nextAt: number
  /** Until when a process orders it, unless it extends that; 0 without an order under way. */
  readonly leasedUntil: number
}

/** All certificates that svc renews, without their keys. */
export const certificateList = async (reader: Reader): Promise<ListedCertificate[]> =>
  (await reader.all(states, {})).map(({ names, ...row }) => ({ ...row, names: namesOf(names) }))

/** Makes a certificate due: the servers order it at once, whatever has failed before. An order that is under way goes on. */
export const queueRenewal = (db: Database, id: number): Promise<void> => db.write(queueCertificate, id, Date.now())

export type CertificateStore = ReturnType<typeof certificateStore>

export const certificateStore = (db: Database, vault: Pick<Vault, 'seal'>) => ({
  ...leaseStore(db),
  ...outcomeStore(db, vault),

  /** Sets the certificates that the server wants for itself: new ones are due at once, others are not renewed any more. */
  want: (wanted: readonly NamesKey[], now: number): Promise<void> => db.write(wantCertificates, wanted, now),

  /** Makes certificates due. */
  retry: (ids: readonly number[], now: number): Promise<void> => db.write(retryCertificates, JSON.stringify(ids), now),
})
