import {
  eventFields,
  eventTextMaxLength,
  type EventAction,
  type EventArea,
  type EventField,
} from '@svc/contract/events'
import { sql } from 'kysely'
import type { Transaction } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import type { Actor } from '../shared/actor.js'
import { networkOf } from '../shared/network-of.js'
import { recordOperatorEvents } from './operator-event-store.js'

/** Writes the events of accounts, in the transaction of what they tell of: neither is stored without the other. */

export type FieldValue = string | number | boolean | null | readonly string[]

/** What an event shows of a thing. No field is a secret, whatever the thing has. */
export type EventFields = Readonly<Partial<Record<EventField, FieldValue>>>

/** An event of an area. */
export interface AccountEvent<Area extends EventArea = EventArea> {
  readonly accountId: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly area: Area
  readonly action: EventAction<Area>
  /** The thing, by the name that the rules of tokens and the console have for it. */
  readonly object: string
  readonly actor: Actor
  /** Of the client, if only that is known of its address. */
  readonly network?: string | null
  readonly before?: EventFields
  readonly after?: EventFields
}

interface Row {
  readonly accountId: number
  readonly at: number
  readonly area: string
  readonly action: string
  readonly object: string
  readonly actorId: number | null
  readonly network: string | null
  readonly kind: Actor['kind']
  readonly actorName: string
  readonly requestId: string | null
  readonly before: string | null
  readonly after: string | null
}

const insert = prepared((db, p: Row) =>
  db
    .insertInto('account_event')
    .values({
      account_id: p.accountId,
      at: p.at,
      zone_id: null,
      serial: null,
      actor_id: p.actorId,
      network: p.network,
      area: p.area,
      action: p.action,
      object: p.object,
      actor_kind: p.kind,
      actor_name: p.actorName,
      request_id: p.requestId,
      before: p.before,
      after: p.after,
    }),
)

/** By column, the field of `Row` that it has. */
const fieldOf = {
  account_id: 'accountId',
  at: 'at',
  actor_id: 'actorId',
  network: 'network',
  area: 'area',
  action: 'action',
  object: 'object',
  actor_kind: 'kind',
  actor_name: 'actorName',
  request_id: 'requestId',
  before: 'before',
  after: 'after',
} as const satisfies Readonly<Record<string, keyof Row>>

const columns = Object.keys(fieldOf) as readonly (keyof typeof fieldOf)[]
const numbers: readonly string[] = ['account_id', 'at', 'actor_id']

/** From a JSON list. */
const insertAll = prepared((db, p: { rows: string }, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.rows} as json))` : sql`json_each(${p.rows})`
  const selected = columns.map((column) => {
    const text = sql`value ->> ${sql.lit(fieldOf[column])}`
    return numbers.includes(column) ? sql`cast(${text} as bigint)` : text
  })
  return db
    .insertInto('account_event')
    .columns([...columns])
    .expression(sql`select ${sql.join(selected)} from ${rows}`)
})

/** Writes an event in the transaction of its change. What a command of the operator does is in the operator's journal too. */
export function recordEvent<Area extends EventArea>(tx: Transaction, event: AccountEvent<Area>): void {
  const row = rowOf(event)
  tx.send(insert, row)
  if (row.kind === 'operator') recordOperatorEvents(tx, [{ ...row, command: row.actorName }])
}

/** Writes the events of several accounts, in their order. */
export function recordEvents(tx: Transaction, events: readonly AccountEvent[]): void {
  const rows = events.map(rowOf)
  tx.send(insertAll, { rows: JSON.stringify(rows) })
  const commands = rows.filter(({ kind }) => kind === 'operator')
  if (commands.length > 0)
    recordOperatorEvents(
      tx,
      commands.map((row) => ({ ...row, command: row.actorName })),
    )
}

const rowOf = (event: AccountEvent): Row => ({
  accountId: event.accountId,
  at: event.at,
  area: event.area,
  action: event.action,
  object: cut(event.object),
  actorId: event.actor.id,
  network: event.network ?? networkOfActor(event.actor),
  kind: event.actor.kind,
  actorName: event.actor.name,
  requestId: event.actor.requestId,
  before: fieldsText(event.before),
  after: fieldsText(event.after),
})

/** What a command of the operator does. */
export interface OperatorEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Such as `svc plan set`. */
  readonly command: string
  /** The thing that it changes; empty for the installation. */
  readonly object: string
  /** Null without an account. */
  readonly accountId: number | null
  readonly before?: EventFields
  readonly after?: EventFields
}

/** Writes what a command does that is no event of an account, in the transaction of its change. */
export function recordOperatorEvent(tx: Transaction, { before, after, object, ...event }: OperatorEvent): void {
  const shown = { object: cut(object), before: fieldsText(before), after: fieldsText(after) }
  recordOperatorEvents(tx, [{ ...event, ...shown }])
}

/** The network that the event of an actor shows. */
export const networkOfActor = ({ ip }: Actor): string | null => (ip === null || ip === '' ? null : networkOf(ip))

const cut = (text: string): string =>
  text.length <= eventTextMaxLength ? text : `${text.slice(0, eventTextMaxLength - 1)}…`

/** How many items of a list an event shows. */
const listMax = 50

function fieldsText(fields: EventFields | undefined): string | null {
  if (fields === undefined) return null
  const shown = eventFields.flatMap((field) => {
    const value = fields[field]
    return value === undefined ? [] : [[field, shownValue(value)] as const]
  })
  return shown.length === 0 ? null : JSON.stringify(Object.fromEntries(shown))
}

function shownValue(value: FieldValue): FieldValue {
  if (typeof value === 'string') return cut(value)
  return Array.isArray(value) ? value.slice(0, listMax).map(cut) : value
}

/** The fields of a change that differ. @returns `before` and `after` of its event; undefined if none differs */
export function changedFields(
  before: EventFields,
  after: EventFields,
): { readonly before: EventFields; readonly after: EventFields } | undefined {
  const changed = eventFields.filter(
    (field) => after[field] !== undefined && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  if (changed.length === 0) return undefined
  const of = (fields: EventFields): EventFields =>
    Object.fromEntries(changed.map((field) => [field, fields[field] ?? null]))
  return { before: of(before), after: of(after) }
}

/** A change of a zone, whose row in `zone_change` has all of it. */
export interface ZoneEvent {
  readonly accountId: number
  readonly at: number
  readonly zone: string
  readonly actor: Actor
}

const bigint = (value: unknown) => sql<number>`cast(${value} as bigint)`

/** The columns of an event of a change of a zone. */
export const zoneEventColumns = ['account_id', 'at', 'zone_id', 'serial', 'network'] as const

interface ZoneEventValues {
  readonly accountId: number
  readonly at: number
  readonly network: string | null
}

/** An event, selected from the zone as the transaction has set it: the values of `zoneEventColumns`. */
export const eventOfZone = (p: ZoneEventValues) =>
  [
    bigint(p.accountId).as('account_id'),
    bigint(p.at).as('at'),
    'id as zone_id',
    'serial',
    sql<string | null>`cast(${p.network} as text)`.as('network'),
  ] as const

/** Served by dns_zone's unique name. */
const insertOfZone = prepared((db, p: ZoneEventValues & { zone: string }) =>
  db
    .insertInto('account_event')
    .columns([...zoneEventColumns])
    .expression((from) => from.selectFrom('dns_zone').where('name', '=', p.zone).select(eventOfZone(p))),
)

/** Writes the event of the latest change of a zone. Call it after the row of the change is written. */
export function recordZoneEvent(tx: Transaction, { accountId, at, zone, actor }: ZoneEvent): void {
  tx.send(insertOfZone, { accountId, at, zone, network: networkOfActor(actor) })
  recordZoneCommand(tx, { accountId, at, zone, actor })
}

/** A command that changes a zone is also in the operator's journal. `recordZoneEvent` and `recordChangeEvent` call it. */
export function recordZoneCommand(tx: Transaction, { accountId, at, zone, actor }: ZoneEvent): void {
  if (actor.kind === 'operator')
    recordOperatorEvents(tx, [{ at, command: actor.name, accountId, object: zone, before: null, after: null }])
}

/** A change of a zone whose id is known. */
interface ChangeEvent extends ZoneEvent {
  readonly zoneId: number
  readonly serial: number
}

const insertOfChange = prepared(
  (db, p: { accountId: number; at: number; zoneId: number; serial: number; network: string | null }) =>
    db
      .insertInto('account_event')
      .values({ account_id: p.accountId, at: p.at, zone_id: p.zoneId, serial: p.serial, network: p.network }),
)

/** The same for a zone whose id is known. */
export function recordChangeEvent(tx: Transaction, { actor, zone, ...event }: ChangeEvent): void {
  tx.send(insertOfChange, { ...event, network: networkOfActor(actor) })
  recordZoneCommand(tx, { ...event, actor, zone })
}
