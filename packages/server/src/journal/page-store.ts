import type { EventAction, EventArea } from '@svc/contract/events'
import { sql, type Kysely } from 'kysely'
import { isInNumbers } from '../db/json-list.js'
import type { Reader } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unpackRequestId } from '../shared/packed-request-id.js'
import type { Tables } from '../db/tables.js'
import type { ActorKind } from '@svc/contract/limits'

/** Reads the events of accounts. */

/** An event as it is stored. */
export interface EventRow {
  readonly id: number
  readonly accountId: number
  readonly at: number
  /** Null, like `action`, of a change of a zone whose history is no longer kept. */
  readonly area: EventArea | null
  readonly action: EventAction | null
  readonly object: string
  readonly kind: ActorKind
  readonly actorId: number | null
  readonly actorName: string
  readonly requestId: string | null
  readonly network: string | null
  /** JSON object; null without fields. */
  readonly before: string | null
  readonly after: string | null
  /** Of a change of a zone; null for the rest. */
  readonly zone: string | null
  readonly serial: number | null
}

/** A column that both tables have. */
const either = <T>(column: string) =>
  sql<T>`coalesce(${sql.ref(`account_event.${column}`)}, ${sql.ref(`zone_change.${column}`)})`

/** The actions of changes of zones, by those of `zone_change`. */
const zoneAction = sql<EventAction | null>`coalesce(account_event.action, case when zone_change.action = '' then 'zone_change' else 'zone_' || zone_change.action end)`

/** With what the history of zones has. Served by the primary keys of zone_change and dns_zone. */
const eventRows = (db: Kysely<Tables>) =>
  db
    .selectFrom('account_event')
    .leftJoin('zone_change', (join) =>
      join
        .onRef('zone_change.zone_id', '=', 'account_event.zone_id')
        .onRef('zone_change.account_id', '=', 'account_event.account_id')
        .onRef('zone_change.serial', '=', 'account_event.serial'),
    )
    .leftJoin('dns_zone', 'dns_zone.id', 'account_event.zone_id')
    .select([
      'account_event.id as id',
      'account_event.account_id as accountId',
      'account_event.at as at',
      sql<EventArea | null>`coalesce(account_event.area, case when zone_change.serial is not null then 'dns' end)`.as(
        'area',
      ),
      zoneAction.as('action'),
      sql<string>`coalesce(account_event.object, dns_zone.name, '')`.as('object'),
      either<ActorKind>('actor_kind').as('kind'),
      either<number | null>('actor_id').as('actorId'),
      either<string>('actor_name').as('actorName'),
      either<string | null>('request_id').as('requestId'),
      'account_event.network as network',
      'account_event.before as before',
      'account_event.after as after',
      'dns_zone.name as zone',
      'account_event.serial as serial',
    ])

/** Newest first. Served by account_event_by_account (account_id, id). */
const page = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  eventRows(db)
    .where('account_event.account_id', '=', p.accountId)
    .where('account_event.id', '<', p.before)
    .orderBy('account_event.id', 'desc')
    .limit(p.rows),
)

/** Of all accounts, oldest first. Served by the primary key. */
const after = prepared((db, p: { after: number; rows: number }) =>
  eventRows(db).where('account_event.id', '>', p.after).orderBy('account_event.id').limit(p.rows),
)

/** Oldest first. Served by account_event_by_account (account_id, id). */
const range = prepared((db, p: { accountId: number; after: number; through: number; rows: number }) =>
  eventRows(db)
    .where('account_event.account_id', '=', p.accountId)
    .where('account_event.id', '>', p.after)
    .where('account_event.id', '<=', p.through)
    .orderBy('account_event.id')
    .limit(p.rows),
)

/** Served by the primary key. @param p.ids JSON array */
const byId = prepared((db, p: { accountId: number; ids: string }, dialect) =>
  eventRows(db)
    .where(isInNumbers('account_event.id', p.ids, dialect))
    .where('account_event.account_id', '=', p.accountId),
)

/** Served by account_event_by_account (account_id, id). */
const count = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom(
      db
        .selectFrom('account_event')
        .where('account_id', '=', p.accountId)
        .where('id', '<', p.before)
        .select('id')
        .orderBy('id', 'desc')
        .limit(p.rows)
        .as('counted'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.min('id').as('oldest')]),
)

/** The ids of requests in the history of zones are packed. */
const unpacked = (rows: EventRow[]): EventRow[] =>
  rows.map((row) => ({ ...row, requestId: unpackRequestId(row.requestId) }))

/** Events of an account with ids below `before`, the newest first. */
export const readEvents = async (
  reader: Reader,
  p: { readonly accountId: number; readonly before: number; readonly rows: number },
): Promise<EventRow[]> => unpacked(await reader.all(page, p))

/** Events of all accounts with ids above `after`, the oldest first. */
export const readEventsAfter = async (
  reader: Reader,
  p: { readonly after: number; readonly rows: number },
): Promise<EventRow[]> => unpacked(await reader.all(after, p))

/** Events of an account with ids above `after`, up to and with `through`, the oldest first. */
export const readEventRange = async (
  reader: Reader,
  p: { readonly accountId: number; readonly after: number; readonly through: number; readonly rows: number },
): Promise<EventRow[]> => unpacked(await reader.all(range, p))

/** Those events of an account, without an order, that are still kept. */
export const readEventsById = async (
  reader: Reader,
  { accountId, ids }: { readonly accountId: number; readonly ids: readonly number[] },
): Promise<EventRow[]> => unpacked(await reader.all(byId, { accountId, ids: JSON.stringify(ids) }))

/** How many of the newest events of an account below an id there are, at most `rows`, and the id of the oldest of them. */
export const countSome = async (
  reader: Reader,
  p: { readonly accountId: number; readonly before: number; readonly rows: number },
): Promise<{ readonly count: number; readonly oldest: number }> =>
  (await reader.one(count, p)) ?? { count: 0, oldest: 0 }
