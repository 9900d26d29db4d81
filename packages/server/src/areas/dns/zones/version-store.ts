import { sql, type QueryCreator } from 'kysely'
import type { Dialect, Transaction } from '../../../db/port.js'
import { prepared, preparedFor } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { eventOfZone, networkOfActor, recordZoneCommand, zoneEventColumns } from '../../../journal/event-store.js'
import type { Actor } from '../../../shared/actor.js'
import { nextSerial } from '../../../ports/dns/serial.js'
import { runAtOnce, runInSlices } from '../../../shared/time-slices.js'
import { changeSteps, createdTexts, type ChangeTexts, type RecordContent } from './change-text.js'
import {
  changeColumns,
  entryBytes,
  journal,
  rowOfZone,
  valuesOf,
  type JournalEntry,
  type RowValues,
} from './journal-store.js'

/**
 * Serial and version of a zone: every change sets both. The serial counts the changes of the zone. The version tells other
 * processes which zones have changed:
 *
 * - SQLite has one writer at a time: versions count the changes of all zones, in the order of their commits.
 * - On PostgreSQL, changes of different zones are committed in any order, and none waits for another. The version is the id of the
 *   transaction. A snapshot knows which transactions had ended when it was taken, so it finds the zones that changed later.
 */

export { nextSerial }

/** On SQLite served by dns_zone_by_version (version). */
export const nextVersion = (dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<number>`cast(cast(pg_current_xact_id() as text) as bigint)`
    : sql<number>`(select coalesce(max(version), 0) + 1 from dns_zone)`

/** How far the changes of zones have been read: the highest version on SQLite, a snapshot on PostgreSQL. Opaque text. */
export type ZonePosition = string

const positionNow = (dialect: Dialect) =>
  dialect === 'postgres'
    ? sql<ZonePosition>`cast(pg_current_snapshot() as text)`
    : sql<ZonePosition>`(select cast(coalesce(max(version), 0) as text) from dns_zone)`

/**
 * The condition that a zone has changed since a position. On PostgreSQL, the range of ids serves the index. While a transaction stays
 * open, the range also contains zones that were read before; the last condition excludes them. The upper limit excludes rows that were
 * restored from another database with ids that this one has not reached.
 */
const isChangedSince = (position: ZonePosition, dialect: Dialect) => {
  if (dialect === 'sqlite') return sql<boolean>`dns_zone.version > cast(${position} as integer)`
  const snapshot = sql`cast(${position} as pg_snapshot)`
  return sql<boolean>`dns_zone.version >= cast(cast(pg_snapshot_xmin(${snapshot}) as text) as bigint)
    and dns_zone.version < cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)
    and not pg_visible_in_snapshot(cast(cast(dns_zone.version as text) as xid8), ${snapshot})`
}

/** One row with the position now. */
export const currentPosition = prepared((db, _: object, dialect) =>
  db.selectNoFrom(positionNow(dialect).as('position')),
)

/**
 * The zones that have changed since a position. Each row has the new position, taken in the same snapshot. If no zone has changed, the
 * only row has the position alone. Served by dns_zone_by_version (version).
 */
export const changesSince = prepared((db, p: { position: ZonePosition }, dialect) =>
  db
    .selectFrom(db.selectNoFrom(positionNow(dialect).as('position')).as('now'))
    .leftJoin('dns_zone', (join) => join.on(isChangedSince(p.position, dialect)))
    .select(['now.position', 'dns_zone.name', 'dns_zone.serial']),
)

interface Advance {
  readonly zoneId: number
  readonly serial: number
  readonly created: number
  readonly growth: number
  readonly historyBytes: number
}

const advancedZone = (db: QueryCreator<Tables>, p: Advance, dialect: Dialect) =>
  db
    .updateTable('dns_zone')
    .set((zone) => ({
      serial: p.serial,
      version: nextVersion(dialect),
      last_record_id: zone('last_record_id', '+', p.created),
      content_bytes: zone('content_bytes', '+', p.growth),
      history_end: zone('history_end', '+', p.historyBytes),
    }))
    .where('id', '=', p.zoneId)

const advance = prepared((db, p: Advance, dialect) => advancedZone(db, p, dialect))

/** What PostgreSQL writes with one statement, because it takes 50 µs for each: the zone, the row of the change, and its event. */
export type JournaledAdvance = Advance & RowValues & { readonly network: string | null }

/** @param db may have common table expressions, whose statements run too */
export const advanceWithJournal = (db: QueryCreator<Tables>, p: JournaledAdvance) =>
  db
    .with('zone', (zone) => advancedZone(zone, p, 'postgres').returning(['id', 'serial', 'history_end']))
    .with('change', (change) =>
      change
        .insertInto('zone_change')
        .columns([...changeColumns])
        .expression((from) => from.selectFrom('zone').select(rowOfZone(p))),
    )
    .insertInto('account_event')
    .columns([...zoneEventColumns])
    .expression((from) => from.selectFrom('zone').select(eventOfZone(p)))

const advanceAndJournal = preparedFor('postgres', (db, p: JournaledAdvance) => advanceWithJournal(db, p))

/** A change of a zone's records. */
export interface ZoneAdvance {
  readonly zone: string
  readonly zoneId: number
  readonly accountId: number
  /** Before the change. */
  readonly serial: number
  /** Records as they were: those that the change deletes or alters. */
  readonly removed: readonly RecordContent[]
  /** Records as they are now: those that the change creates or alters. */
  readonly added: readonly RecordContent[]
  /** By how many bytes the content of the zone grows; negative if it shrinks. */
  readonly growth: number
}

interface AdvanceTerms {
  readonly actor: Actor
  /** How many records the change created. */
  readonly created: number
  /** RFC 3339: the time of the change. */
  readonly now: string
  /** Lets other work run between two parts of a long computation. */
  readonly pause: () => Promise<unknown>
  /** Advances the zone on PostgreSQL, instead of `advanceAndJournal`: a statement with `advanceWithJournal` that also changes records. */
  readonly send?: ((advance: JournaledAdvance) => void) | undefined
}

/** Up to so many records, their form in the history is computed at once: on PostgreSQL, a pause costs a round trip. */
const recordsAtOnce = 1000

function textsOf(
  removed: readonly RecordContent[],
  added: readonly RecordContent[],
  pause: AdvanceTerms['pause'],
): ChangeTexts | Promise<ChangeTexts> {
  const [first, second] = added
  if (removed.length === 0 && first !== undefined && second === undefined) return createdTexts(first)
  const steps = changeSteps(removed, added)
  return removed.length + added.length <= recordsAtOnce ? runAtOnce(steps) : runInSlices(steps, pause)
}

/**
 * Increments the serial and sets the version of a zone after a change of its records, and writes the change into the zone's history.
 * @returns the new serial
 */
export async function advanceZone(
  tx: Transaction,
  { zone, zoneId, accountId, serial, removed, added, growth }: ZoneAdvance,
  {
    actor,
    created,
    now,
    pause,
    send = (p) => {
      tx.send(advanceAndJournal, p)
    },
  }: AdvanceTerms,
): Promise<number> {
  const texts = await textsOf(removed, added, pause)
  const entry: JournalEntry = { ...texts, accountId, actor, at: Date.parse(now), action: '' }
  const next = nextSerial(serial)
  const advanced: Advance = { zoneId, serial: next, created, growth, historyBytes: entryBytes(entry) }
  if (tx.dialect === 'postgres') {
    send({ ...advanced, ...valuesOf(entry), network: networkOfActor(actor) })
    recordZoneCommand(tx, { accountId, at: entry.at, zone, actor })
  } else {
    tx.send(advance, advanced)
    journal(tx, { zone, zoneId, serial: next }, entry)
  }
  return next
}
