import { sql } from 'kysely'
import { isInTexts } from '../../../db/json-list.js'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/**
 * The servers on the database that have a nameserver of their own, and which zones with values of challenges they have loaded. So an
 * order waits until each of them serves its values, and no longer. System store.
 */

/** A zone that a server serves with the values that it had at this serial. */
export interface LoadedZone {
  readonly zone: string
  readonly serial: number
}

const insertProcess = prepared((db, p: { id: string }) =>
  db
    .insertInto('dns_process')
    .values({ id: p.id })
    .onConflict((same) => same.column('id').doNothing()),
)

const processes = prepared((db, _: object) => db.selectFrom('dns_process').select('id'))

const removeAll = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('dns_process').where(isInTexts('id', p.ids, dialect)),
)

const removeZones = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('dns_process_zone').where(isInTexts('process_id', p.ids, dialect)),
)

/** The zones of a JSON array of `{zone, serial}`. */
const given = (json: string, dialect: Dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<LoadedZone>`(select value ->> 'zone' as zone, cast(value ->> 'serial' as bigint) as serial from ${rows})`.as<'given'>(
    sql.ref('given'),
  )
}

/** Served by dns_zone's unique name. In the order of ids, in which changes lock zones. */
const upsertZones = prepared((db, p: { id: string; zones: string }, dialect) =>
  db
    .insertInto('dns_process_zone')
    .columns(['process_id', 'zone_id', 'serial'])
    .expression((from) =>
      from
        .selectFrom(given(p.zones, dialect))
        .innerJoin('dns_zone', 'dns_zone.name', 'given.zone')
        .select([sql<string>`cast(${p.id} as text)`.as('process_id'), 'dns_zone.id as zone_id', 'given.serial'])
        .where(sql<boolean>`true`)
        .orderBy('dns_zone.id'),
    )
    .onConflict((same) =>
      same.columns(['zone_id', 'process_id']).doUpdateSet((row) => ({ serial: row.ref('excluded.serial') })),
    ),
)

/** Served by dns_zone's unique name and the primary key. */
const loadedBy = prepared((db, p: { zones: string }, dialect) =>
  db
    .selectFrom('dns_zone')
    .innerJoin('dns_process_zone', 'dns_process_zone.zone_id', 'dns_zone.id')
    .where(isInTexts('dns_zone.name', p.zones, dialect))
    .select(['dns_zone.name as zone', 'process_id as process', 'dns_process_zone.serial']),
)

const addProcess = unit(import.meta, 'addProcess', async (tx, id: string) => {
  tx.send(insertProcess, { id })
})

const removeProcesses = unit(import.meta, 'removeProcesses', async (tx, ids: readonly string[]) => {
  tx.send(removeAll, { ids: JSON.stringify(ids) })
  tx.send(removeZones, { ids: JSON.stringify(ids) })
})

const noteLoaded = unit(import.meta, 'noteLoaded', async (tx, id: string, zones: readonly LoadedZone[]) => {
  // An order that this process has kept waiting has removed its row.
  tx.send(insertProcess, { id })
  tx.send(upsertZones, { id, zones: JSON.stringify(zones) })
})

export const processStore = (db: Database) => ({
  /** Adds this process. Call it before the zones are read, so that it sees the changes of all orders that do not wait for it. */
  add: (id: string): Promise<void> => db.write(addProcess, id),

  /** Removes processes that have ended, with what they have loaded. */
  remove: (ids: readonly string[]): Promise<void> => db.write(removeProcesses, ids),

  /** All processes, also those that were killed. */
  all: async (): Promise<string[]> => (await db.all(processes, {})).map(({ id }) => id),

  /** Notes the zones that a process has loaded. */
  note: (id: string, zones: readonly LoadedZone[]): Promise<void> => db.write(noteLoaded, id, zones),

  /** The serials of zones that each process has loaded. */
  loaded: (zones: readonly string[]): Promise<(LoadedZone & { readonly process: string })[]> =>
    db.all(loadedBy, { zones: JSON.stringify(zones) }),
})
