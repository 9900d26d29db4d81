import { sql, type Kysely } from 'kysely'
import type { Transaction } from '../../../db/port.js'
import { preparedFor } from '../../../db/prepared.js'
import type { Tables } from '../../../db/tables.js'
import { networkOfActor, zoneEventColumns } from '../../../journal/event-store.js'
import { packRequestId } from '../../../shared/packed-request-id.js'
import type { Actor } from '../../../shared/actor.js'
import { createdTexts } from '../zones/change-text.js'
import { changeColumns, entryBytes } from '../zones/journal-store.js'
import { nextVersion } from '../zones/version-store.js'
import type { ZoneOfAccount } from './host-store.js'
import { insertRecordColumns } from './insert-store.js'
import type { StoredRecord } from './record.js'

/**
 * Writes the new records of many requests on PostgreSQL: the records, their zones, their rows in the history and their events, with one
 * statement. With one for each table, which all read a list, PostgreSQL takes half as long again.
 */

/** A new record of a locked zone. */
export interface CreatedRecord extends ZoneOfAccount {
  readonly record: StoredRecord
  /** Of the zone after it. */
  readonly serial: number
  readonly actor: Actor
  /** RFC 3339. */
  readonly now: string
}

/** A zone as it is after all records. */
export interface AdvancedZone {
  readonly id: number
  readonly serial: number
  readonly last_record_id: number
  readonly content_bytes: number
}

type ColumnType = 'bigint' | 'integer' | 'text'

const createdFields = {
  zone_id: 'bigint',
  account_id: 'bigint',
  id: 'bigint',
  type: 'text',
  host: 'text',
  value: 'text',
  ttl: 'integer',
  priority: 'integer',
  created_at: 'text',
  updated_at: 'text',
  serial: 'bigint',
  at: 'bigint',
  action: 'text',
  actor_kind: 'text',
  actor_id: 'bigint',
  actor_name: 'text',
  request_id: 'text',
  removed: 'text',
  added: 'text',
  network: 'text',
  /** What the later rows of the same zone take. */
  behind: 'bigint',
} as const satisfies Record<string, ColumnType>

const zoneFields = {
  id: 'bigint',
  serial: 'bigint',
  last_record_id: 'bigint',
  content_bytes: 'bigint',
  history_bytes: 'bigint',
} as const satisfies Record<string, ColumnType>

type Fields<T> = { [Name in keyof T]: T[Name] extends 'text' ? string : number }

/** The rows of a JSON list. */
const listed = <T extends Record<string, ColumnType>>(json: string, fields: T) => {
  const columns = Object.entries(fields).map(([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`)
  return sql<Fields<T>>`(select * from json_to_recordset(cast(${json} as json)) as listed(${sql.join(columns)}))`
}

const create = preparedFor('postgres', (db: Kysely<Tables>, p: { created: string; zones: string }) =>
  db
    .with('created', () => listed(p.created, createdFields))
    .with('advanced', () => listed(p.zones, zoneFields))
    .with('record', (record) =>
      record
        .insertInto('dns_record')
        .columns([...insertRecordColumns])
        .expression((from) => from.selectFrom('created').select([...insertRecordColumns])),
    )
    .with('zone', (zone) =>
      zone
        .updateTable('dns_zone')
        .from('advanced')
        .set({
          serial: sql.ref('advanced.serial'),
          version: nextVersion('postgres'),
          last_record_id: sql.ref('advanced.last_record_id'),
          content_bytes: sql.ref('advanced.content_bytes'),
          history_end: sql<number>`dns_zone.history_end + advanced.history_bytes`,
        })
        .whereRef('dns_zone.id', '=', 'advanced.id')
        .returning(['dns_zone.id', 'dns_zone.history_end']),
    )
    .with('change', (change) =>
      change
        .insertInto('zone_change')
        .columns([...changeColumns])
        .expression((from) =>
          from
            .selectFrom('created')
            .innerJoin('zone', 'zone.id', 'created.zone_id')
            .select(
              changeColumns.map((name) =>
                (name === 'history_end' ? sql`zone.history_end - created.behind` : sql.ref(`created.${name}`)).as(name),
              ),
            ),
        ),
    )
    .insertInto('account_event')
    .columns([...zoneEventColumns])
    .expression((from) => from.selectFrom('created').select([...zoneEventColumns])),
)

/**
 * Inserts records, sets what they have set of their zones, and writes each of them into the history of its zone.
 * @param zones as they are after all records @param created in their order
 */
export function writeCreated(tx: Transaction, zones: readonly AdvancedZone[], created: readonly CreatedRecord[]): void {
  /** By zone, what the rows so far take. */
  const bytes = new Map<number, number>()
  const rows = created.toReversed().map(({ record, zoneId, accountId, serial, actor, now }) => {
    const texts = createdTexts(record)
    const behind = bytes.get(zoneId) ?? 0
    bytes.set(zoneId, behind + entryBytes({ ...texts, actor }))
    return {
      ...record,
      zone_id: zoneId,
      account_id: accountId,
      serial,
      at: Date.parse(now),
      action: '',
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: actor.name,
      request_id: packRequestId(actor.requestId),
      ...texts,
      network: networkOfActor(actor),
      behind,
    }
  })
  const advanced = zones.map(({ id, serial, last_record_id, content_bytes }) => ({
    id,
    serial,
    last_record_id,
    content_bytes,
    history_bytes: bytes.get(id) ?? 0,
  }))
  tx.send(create, { created: JSON.stringify(rows.toReversed()), zones: JSON.stringify(advanced) })
}
