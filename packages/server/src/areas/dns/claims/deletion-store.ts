import { noteChange } from '../../../db/change-clock-store.js'
import type { Database } from '../../../db/port.js'
import { groupBy } from '@svc/contract/group-by'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordOperatorEvent } from '../../../journal/event-store.js'
import { operatorActor, type Actor } from '../../../shared/actor.js'
import { runInSlices } from '../../../shared/time-slices.js'
import { forgetQueryCounts, forgetQueryCountsOf } from '../queries/query-count-store.js'
import { pauseIn, readInPages, type RecordPage } from '../records/pages.js'
import { recordColumns } from '../records/presenter.js'
import { changeSteps, noSets } from '../zones/change-text.js'
import { lockZones, rememberLastHolder, type LockedZone } from '../zones/holder-store.js'
import { entryBytes, forgetHistory, journal, type JournalEntry } from '../zones/journal-store.js'
import { claimLockKey } from '../zones/lock-keys.js'
import { nextSerial, nextVersion } from '../zones/version-store.js'
import { lockClaims } from './conflict-store.js'

/** Deletes zones, or what one account has in them. Operator store. */

/** Served by dns_claim_verified (zone), a partial index that needs the literal status. */
const removeVerifiedClaim = prepared((db, p: { zone: string }) =>
  db.deleteFrom('dns_claim').where('zone', '=', p.zone).where('status', '=', 'verified'),
)

const removeClaimOf = prepared((db, p: { zone: string; accountId: number }) =>
  db.deleteFrom('dns_claim').where('account_id', '=', p.accountId).where('zone', '=', p.zone),
)

/** Served by the primary key (zone_id, id). */
const removeRecords = prepared((db, p: { zoneId: number }) =>
  db.deleteFrom('dns_record').where('zone_id', '=', p.zoneId),
)

/** Served by the primary key (zone_id, id). */
const removeRecordsOf = prepared((db, p: { zoneId: number; accountId: number }) =>
  db.deleteFrom('dns_record').where('zone_id', '=', p.zoneId).where('account_id', '=', p.accountId),
)

const forgetHolder = prepared((db, p: { zoneId: number; accountId: number }) =>
  db.deleteFrom('dns_former_holder').where('account_id', '=', p.accountId).where('zone_id', '=', p.zoneId),
)

/** The row stays, with a new version: it tells the other processes to serve the zone no more. */
const markDeleted = prepared((db, p: { id: number; serial: number; now: number; historyBytes: number }, dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion(dialect),
      holder_id: null,
      content_bytes: 0,
      deleted_at: p.now,
      history_end: zone('history_end', '+', p.historyBytes),
    }))
    .where('id', '=', p.id),
)

/** Served by dns_zone's unique name. */
const holderOf = prepared((db, p: { zone: string }) =>
  db.selectFrom('dns_zone').where('name', '=', p.zone).select('holder_id as id'),
)

interface OfZone {
  readonly zone: string
}

/** Served by the primary key (zone_id, id). */
const recordsOf = prepared((db, p: RecordPage & { zoneId: number }) =>
  db
    .selectFrom('dns_record')
    .where('zone_id', '=', p.zoneId)
    .where('id', '>', p.after)
    .select(['account_id', ...recordColumns])
    .orderBy('id')
    .limit(p.limit),
)

/** The rows that the accounts with records in the zone, and its holder, get in their histories of it. */
async function deletedEntries(
  tx: Transaction,
  { id: zoneId, holder_id: holderId }: LockedZone,
  actor: Actor,
  at: number,
): Promise<JournalEntry[]> {
  const pause = pauseIn(tx)
  const records = await readInPages((page) => tx.all(recordsOf, { ...page, zoneId }), pause)
  const byAccount = new Map(groupBy(records, ({ account_id }) => account_id))
  if (!byAccount.has(holderId)) byAccount.set(holderId, [])
  const entries: JournalEntry[] = []
  for (const [accountId, removed] of byAccount) {
    if (accountId === null) continue
    const texts =
      removed.length === 0 ? { removed: noSets, added: noSets } : await runInSlices(changeSteps(removed, []), pause)
    entries.push({ ...texts, accountId, actor, at, action: 'delete' })
  }
  return entries
}

const deleteZone = unit(
  import.meta,
  'deleteZone',
  claimLockKey,
  async (tx, { zone }: OfZone, actor: Actor, now: number) => {
    lockClaims(tx, zone)
    const [locked] = await lockZones(tx, [zone])
    tx.send(removeVerifiedClaim, { zone })
    if (locked === undefined) return
    const entries = await deletedEntries(tx, locked, actor, now)
    // The account finds its history in the zone by this row, when it is deleted.
    rememberLastHolder(tx, locked)
    tx.send(removeRecords, { zoneId: locked.id })
    forgetQueryCounts(tx, locked.id)
    const historyBytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0)
    const [zoneId, serial] = [locked.id, nextSerial(locked.serial)]
    tx.send(markDeleted, { id: zoneId, serial, now, historyBytes })
    for (const entry of entries) journal(tx, { zone, zoneId, serial }, entry)
    if (entries.length === 0) recordOperatorEvent(tx, { at: now, command: actor.name, object: zone, accountId: null })
    noteChange(tx, 'sites')
  },
)

const removeFromZone = unit(
  import.meta,
  'removeFromZone',
  claimLockKey,
  async (tx, { zone }: OfZone, accountId: number, now: number) => {
    lockClaims(tx, zone)
    const [locked] = await lockZones(tx, [zone])
    tx.send(removeClaimOf, { zone, accountId })
    if (locked === undefined) return
    tx.send(removeRecordsOf, { zoneId: locked.id, accountId })
    tx.send(forgetHolder, { zoneId: locked.id, accountId })
    forgetHistory(tx, { zoneId: locked.id, accountId })
    forgetQueryCountsOf(tx, { zoneId: locked.id, accountId })
    const holder = await tx.only(holderOf, { zone })
    if (holder.id !== accountId) return
    tx.send(markDeleted, { id: locked.id, serial: nextSerial(locked.serial), now, historyBytes: 0 })
    noteChange(tx, 'sites')
  },
)

export const deletionStore = (db: Database) => ({
  /** Whether the zone serves the records of this account. */
  isHolder: async (zone: string, accountId: number): Promise<boolean> =>
    (await db.one(holderOf, { zone }))?.id === accountId,

  /**
   * Deletes a zone: its verified claim, and the records of all accounts, which their histories keep. Pending claims stay. It is not
   * served any more.
   */
  deleteZone: (zone: string): Promise<void> =>
    db.write(deleteZone, { zone }, operatorActor('svc dns delete'), Date.now()),

  /**
   * Removes the claim and the records of an account from a zone. If the account is the holder, the zone is not served any more; the
   * records of its former holders stay theirs.
   */
  removeFromZone: (zone: string, accountId: number): Promise<void> =>
    db.write(removeFromZone, { zone }, accountId, Date.now()),
})
