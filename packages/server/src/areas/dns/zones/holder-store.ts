import { sql, type Expression } from 'kysely'
import { textList } from '../../../db/json-list.js'
import type { Dialect, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { holdVersions, nextSerial, nextVersion } from './version-store.js'

/**
 * The holder of a zone: the account whose records it serves. Every change advances serial and version, so that other processes
 * load the zone. For the transactions of claims. Lock order on PostgreSQL, as in verified-store.ts: zones, claims, versions.
 */

export interface LockedZone {
  readonly id: number
  readonly name: string
  readonly serial: number
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
    .select(['id', 'name', 'serial'])
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const insertZone = prepared((db, p: { zone: string; serial: number; accountId: number }) =>
  db.insertInto('dns_zone').values({
    name: p.zone,
    serial: p.serial,
    version: nextVersion,
    last_record_id: 0,
    holder_id: p.accountId,
    content_bytes: 0,
  }),
)

/** Counts the content again: the new holder may have records here from an earlier verification. */
const setHolder = prepared((db, p: { id: number; serial: number; accountId: number }) =>
  db
    .updateTable('dns_zone')
    .set({
      serial: p.serial,
      version: nextVersion,
      holder_id: p.accountId,
      content_bytes: sql<number>`(select coalesce(sum(octet_length(value) + octet_length(host)), 0)
        from dns_record where zone_id = dns_zone.id and account_id = ${p.accountId})`,
    })
    .where('id', '=', p.id),
)

const move = prepared((db, p: { id: number; serial: number }) =>
  db.updateTable('dns_zone').set({ serial: p.serial, version: nextVersion }).where('id', '=', p.id),
)

/** Locks zones until the transaction ends. @returns those of them that have been verified before */
export const lockZones = (tx: Transaction, names: readonly string[]): Promise<LockedZone[]> =>
  tx.all(lockByName, { names: JSON.stringify(names) })

/**
 * Makes an account the holder of a zone.
 * @param locked the result of `lockZones`; a zone missing from it is created
 * @param now milliseconds since the epoch: its seconds become the serial of a new zone
 */
export async function giveZone(
  tx: Transaction,
  locked: readonly LockedZone[],
  { accountId, zone }: { readonly accountId: number; readonly zone: string },
  now: number,
): Promise<void> {
  const found = locked.find(({ name }) => name === zone)
  await tx.run(holdVersions, {})
  if (found === undefined) await tx.run(insertZone, { zone, accountId, serial: Math.floor(now / 1000) })
  else await tx.run(setHolder, { id: found.id, accountId, serial: nextSerial(found.serial) })
}

/** Increments serial and version of zones that lost their verified claim; their records stay served. */
export async function moveZones(tx: Transaction, zones: readonly LockedZone[]): Promise<void> {
  if (zones.length > 0) await tx.run(holdVersions, {})
  // One by one: each change needs a separate version.
  for (const { id, serial } of zones) await tx.run(move, { id, serial: nextSerial(serial) })
}
