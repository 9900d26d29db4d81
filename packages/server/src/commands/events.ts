import { eventAreas, type EventArea } from '@svc/contract/events'
import { tokenStore } from '../areas/account/tokens/store.js'
import type { DatabaseConfig } from '../db/connect.js'
import type { Database } from '../db/port.js'
import { eventStore } from '../journal/events.js'
import { readOperatorEvents, type OperatorEventRow } from '../journal/operator-event-store.js'
import { eventJson } from '../journal/presenter.js'
import type { Account } from '../shared/account.js'
import { OperatorError } from '../shared/operator-error.js'
import { quoted } from '../shared/quoted.js'
import { timestamp } from '../shared/timestamp.js'
import { withAccount } from './accounts.js'
import { withExistingDatabase } from './with-database.js'

/** Lists what was done: in an account, and by the operator's commands. */

/** The most events of one list. */
export const eventsMax = 100_000

/** As in the answers of `GET /v1/account/events`. */
export interface ListedEvent {
  readonly id: number
  readonly at: string
  readonly area: EventArea
  readonly action: string
  readonly object: string
  readonly actor: { readonly kind: string; readonly name: string; readonly id: number | null }
  readonly network: string | null
  readonly request_id: string | null
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

/** Undefined fields select all. */
export interface GivenEventFilter {
  readonly area?: string | undefined
  readonly object?: string | undefined
  /** The id of a token, or the name of one that exists. */
  readonly token?: string | undefined
}

export interface ListedEvents {
  /** Newest first. */
  readonly events: readonly ListedEvent[]
  /** How many the filters select. */
  readonly total: number
}

/** `svc account events`. @param limit the most events @throws OperatorError for an unknown area or token */
export const accountEvents = async (
  config: DatabaseConfig,
  email: string,
  given: GivenEventFilter,
  limit: number,
): Promise<ListedEvents> => {
  const area = given.area === undefined ? undefined : knownArea(given.area)
  return withAccount(config, email, async (account, db) => {
    const token = given.token === undefined ? undefined : await tokenId(db, account, given.token)
    const page = { limit, before: Number.MAX_SAFE_INTEGER }
    const { events, total } = await eventStore(db).page(account, { area, object: given.object, token }, page)
    return { events: events.map((event) => JSON.parse(eventJson(event)) as ListedEvent), total }
  })
}

function knownArea(given: string): EventArea {
  const area = eventAreas.find((name) => name === given)
  if (area === undefined)
    throw new OperatorError(`--area must be one of ${eventAreas.join(', ')}, not ${quoted(given)}.`, 2)
  return area
}

/** The id of a revoked token is known from its events only. */
async function tokenId(db: Database, account: Account, given: string): Promise<number> {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  const token = await tokenStore(db).find(account, given)
  if (token === undefined)
    throw new OperatorError(`${account.email} has no token with the name ${quoted(given)}; a revoked one has its id.`)
  return token.id
}

/** What a command of the operator has done. */
export interface OperatorEvent extends Omit<OperatorEventRow, 'at' | 'osUser' | 'before' | 'after'> {
  readonly at: string
  /** The user of the operating system. */
  readonly by: string
  readonly before: Readonly<Record<string, unknown>> | null
  readonly after: Readonly<Record<string, unknown>> | null
}

const fieldsOf = (json: string | null) =>
  json === null ? null : (JSON.parse(json) as Readonly<Record<string, unknown>>)

/** `svc events`: the newest first. @param limit the most events */
export const operatorEvents = (config: DatabaseConfig, limit: number): Promise<readonly OperatorEvent[]> =>
  withExistingDatabase(config, async (db) => {
    const rows = await readOperatorEvents(db, { before: Number.MAX_SAFE_INTEGER, rows: limit })
    return rows.map(({ osUser: by, at, before, after, ...event }) => ({
      ...event,
      at: timestamp(at),
      by,
      before: fieldsOf(before),
      after: fieldsOf(after),
    }))
  })
