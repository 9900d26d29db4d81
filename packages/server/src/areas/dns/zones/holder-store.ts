import { sql, type Expression } from 'kysely'
import { textList } from '../../../db/json-list.js'
import type { Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { otherAccountActor, type Actor } from '../../../shared/actor.js'
import { holderEntryBytes, journalHolder } from './journal-store.js'
import { nextSerial, nextVersion } from './version-store.js'

/**
 * The holder of a zone: the account whose records it serves. Every change increments the serial and sets the version, so that other
 * processes load the zone. For the transactions of claims. Lock order on PostgreSQL, as in verified-store.ts: zones, claims.
 */

export interface LockedZone {
  readonly id: number
  readonly name: string
  readonly serial: number
  readonly holder_id: number | null
}

/** A condition: the record belongs to this account; for null, to no account, as records of a zone without a holder do. */
export const isOf = (account: Expression<number | null>, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<boolean>`dns_record.account_id is not distinct from ${account}`
    : sql<boolean>`dns_record.account_id is ${account}`

/** Served by dns_zone's unique name. In the order of ids, so that two transactions cannot deadlock. */
const lockByName = prepared((db, p: { names: string }, dialect) =>
  db
    .selectFrom('dns_zone')
    .where('name', 'in', textList(p.names, dialect))
    .select(['id', 'name', 'serial', 'holder_id'])
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const insertZone = prepared(
  (db, p: { zone: string; serial: number; accountId: number; historyBytes: number }, dialect) =>
    db
      .insertInto('dns_zone')
      .values({
        name: p.zone,
        serial: p.serial,
        version: nextVersion(dialect),
        last_record_id: 0,
        holder_id: p.accountId,
        content_bytes: 0,
        history_end: p.historyBytes,
      }),
)

/** The records of an account that loses the zone stay: its export and its deletion find them by this row. */
const rememberHolder = prepared((db, p: { id: number; accountId: number }) =>
  db
    .insertInto('dns_former_holder')
    .columns(['account_id', 'zone_id'])
    .expression((from) =>
      from
        .selectFrom('dns_zone')
        .where('id', '=', p.id)
        .where('holder_id', '!=', p.accountId)
        .select((row) => [row.ref('holder_id').$notNull().as('account_id'), 'id as zone_id']),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

/** An account loses a zone that no other account gets. @param zone with its holder */
export const rememberLastHolder = (tx: Transaction, { id }: LockedZone): void => {
  tx.send(rememberHolder, { id, accountId: 0 })
}

/** Counts the content again: the new holder may have records here from an earlier verification. */
const setHolder = prepared((db, p: { id: number; serial: number; accountId: number; historyBytes: number }, dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion(dialect),
      holder_id: p.accountId,
      deleted_at: null,
      content_bytes: sql<number>`(select coalesce(sum(octet_length(value) + octet_length(host)), 0)
        from dns_record where zone_id = dns_zone.id and account_id = ${p.accountId})`,
      history_end: zone('history_end', '+', p.historyBytes),
    }))
    .where('id', '=', p.id),
)

const move = prepared((db, p: { id: number; serial: number; historyBytes: number }, dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion(dialect),
      history_end: zone('history_end', '+', p.historyBytes),
    }))
    .where('id', '=', p.id),
)

/** Locks zones until the transaction ends. @returns those of them that have been verified before */
export const lockZones = (tx: Transaction, names: readonly string[]): Promise<LockedZone[]> =>
  tx.all(lockByName, { names: JSON.stringify(names) })

/**
 * Makes an account the holder of a zone.
 * @param locked the result of `lockZones`; a zone missing from it is created
 * @param now milliseconds since the epoch: its seconds become the serial of a new zone
 */
export function giveZone(
  tx: Transaction,
  locked: readonly LockedZone[],
  { accountId, zone, actor }: { readonly accountId: number; readonly zone: string; readonly actor: Actor },
  now: number,
): void {
  const found = locked.find(({ name }) => name === zone)
  const historyBytes = holderEntryBytes(actor)
  if (found === undefined) tx.send(insertZone, { zone, accountId, serial: Math.floor(now / 1000), historyBytes })
  else {
    tx.send(rememberHolder, { id: found.id, accountId })
    tx.send(setHolder, { id: found.id, accountId, serial: nextSerial(found.serial), historyBytes })
  }
  journalHolder(tx, zone, { accountId, actor, at: now, action: 'claim' })
  const former = found?.holder_id ?? accountId
  if (former !== accountId)
    journalHolder(tx, zone, { accountId: former, actor: otherAccountActor, at: now, action: 'lost' })
}

/**
 * Increments the serial and sets the version of a zone that lost its verified claim; its records stay served.
 * @param actor what has ended the claim
 */
export function moveReleased(
  tx: Transaction,
  { id, name, serial, holder_id: accountId }: LockedZone,
  actor: Actor,
  now: number,
): void {
  tx.send(move, { id, serial: nextSerial(serial), historyBytes: holderEntryBytes(actor) })
  if (accountId !== null) journalHolder(tx, name, { accountId, actor, at: now, action: 'release' })
}

/** Increments the serials and sets the versions of zones in which a value of a challenge changes: such a value is not a record. */
export function moveChallenged(tx: Transaction, zones: readonly LockedZone[]): void {
  // One by one: each has a separate serial.
  for (const { id, serial } of zones) tx.send(move, { id, serial: nextSerial(serial), historyBytes: 0 })
}
