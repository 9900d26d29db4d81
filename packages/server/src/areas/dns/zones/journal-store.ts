import { sql } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { recordChangeEvent, recordZoneEvent } from '../../../journal/event-store.js'
import type { Actor } from '../../../shared/actor.js'
import { packRequestId } from '../../../shared/packed-request-id.js'
import { noSets, type ChangeTexts } from './change-text.js'

/**
 * Writes the history of zones: one row for each change, and one event of the account, in the transaction of the change. The functions that
 * increment serials call it (version-store.ts, holder-store.ts), so a change of records cannot be written without its row.
 */

/**
 * What became of the account's right to the zone. `claim`: verified, and served from now on. `release`: its claim has ended, and its
 * records are still served. `lost`: another account's are. `delete`: the operator has deleted the zone with its records.
 */
export type HolderAction = 'claim' | 'release' | 'lost' | 'delete'

/** One row, without its serial. */
export interface JournalEntry extends ChangeTexts {
  /** The account that held the zone: the only one that sees the row. */
  readonly accountId: number
  readonly actor: Actor
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Empty for a change of records. */
  readonly action: HolderAction | ''
}

/** What a row takes beside its texts, with its index entries. */
const rowBytes = 100

/** The bytes that a row counts in the limit of its zone's history. */
export const entryBytes = ({ removed, added, actor }: Pick<JournalEntry, 'removed' | 'added' | 'actor'>): number =>
  rowBytes + Buffer.byteLength(removed) + Buffer.byteLength(added) + Buffer.byteLength(actor.name)

/** The bytes of a row without records. */
export const holderEntryBytes = (actor: Actor): number => entryBytes({ removed: noSets, added: noSets, actor })

/** Of `zone_change`. */
export const changeColumns = [
  'zone_id',
  'account_id',
  'serial',
  'history_end',
  'at',
  'action',
  'actor_kind',
  'actor_id',
  'actor_name',
  'request_id',
  'removed',
  'added',
] as const

/** Of a row. */
export const valuesOf = ({ accountId, at, action, actor, removed, added }: JournalEntry) => ({
  accountId,
  at,
  action,
  kind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
  requestId: packRequestId(actor.requestId),
  removed,
  added,
})

export type RowValues = ReturnType<typeof valuesOf>

/** The end of the history is that which the transaction has set. Served by dns_zone's primary key. */
const insertChange = prepared((db, p: RowValues & { zoneId: number; serial: number }) =>
  db
    .insertInto('zone_change')
    .values({
      zone_id: p.zoneId,
      account_id: p.accountId,
      serial: p.serial,
      history_end: (of) =>
        of.selectFrom('dns_zone').where('id', '=', p.zoneId).select('history_end').$asScalar().$notNull(),
      at: p.at,
      action: p.action,
      actor_kind: p.kind,
      actor_id: p.actorId,
      actor_name: p.actorName,
      request_id: p.requestId,
      removed: p.removed,
      added: p.added,
    }),
)

/** Writes the row of the latest change of a zone's records, and its event. */
export function journal(
  tx: Transaction,
  changed: { readonly zone: string; readonly zoneId: number; readonly serial: number },
  entry: JournalEntry,
): void {
  const { zone, zoneId, serial } = changed
  const { accountId, actor, at } = entry
  tx.send(insertChange, { ...valuesOf(entry), zoneId, serial })
  recordChangeEvent(tx, { zone, zoneId, serial, accountId, actor, at })
}

const bigint = (value: unknown) => sql<number>`cast(${value} as bigint)`
const text = <T extends string | null>(value: T) => sql<T>`cast(${value} as text)`

/** A row, selected from the zone as the transaction has set it: the values of `changeColumns`. */
export const rowOfZone = (p: RowValues) =>
  [
    'id',
    bigint(p.accountId).as('account_id'),
    'serial',
    'history_end',
    bigint(p.at).as('at'),
    text(p.action).as('action'),
    text(p.kind).as('actor_kind'),
    bigint(p.actorId).as('actor_id'),
    text(p.actorName).as('actor_name'),
    text(p.requestId).as('request_id'),
    text(p.removed).as('removed'),
    text(p.added).as('added'),
  ] as const

/** The zone may be new, so only its name is known. Served by dns_zone's unique name. */
const insertHolderChange = prepared((db, p: RowValues & { zone: string }) =>
  db
    .insertInto('zone_change')
    .columns([...changeColumns])
    .expression((from) => from.selectFrom('dns_zone').where('name', '=', p.zone).select(rowOfZone(p))),
)

/** Writes the row of a change of the holder, with the serial that the transaction has set, and its event. */
export const journalHolder = (
  tx: Transaction,
  zone: string,
  entry: Omit<JournalEntry, 'removed' | 'added'> & { readonly action: HolderAction },
): void => {
  tx.send(insertHolderChange, { ...valuesOf({ ...entry, removed: noSets, added: noSets }), zone })
  const { accountId, actor, at } = entry
  recordZoneEvent(tx, { zone, accountId, at, actor })
}

const forgetOf = prepared((db, p: { zoneId: number; accountId: number }) =>
  db.deleteFrom('zone_change').where('zone_id', '=', p.zoneId).where('account_id', '=', p.accountId),
)

/** Removes the history of an account in a zone, of which it has no records any more. */
export const forgetHistory = (tx: Transaction, p: { readonly zoneId: number; readonly accountId: number }): void => {
  tx.send(forgetOf, p)
}
