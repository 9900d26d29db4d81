import type { EventAction, EventArea } from '@svc/contract/events'
import { ApiError } from '@svc/contract/errors'
import type { RuleKind } from '@svc/contract/limits'
import type { Database } from '../db/port.js'
import type { Account } from '../shared/account.js'
import type { PageKey } from '../shared/page.js'
import { allows, type Rules } from '../shared/rules.js'
import { KeyedSlots } from '../shared/slots.js'
import { requireClient } from '../shared/require-client.js'
import { turns, type Turns } from '../shared/turns.js'
import { countSome, readEvents, type EventRow } from './page-store.js'

/** The events of an account, as far as a caller may see them. */

/** An event that can be shown: the row of a change of a zone has the rest of it. */
export interface ShownEvent extends EventRow {
  readonly area: EventArea
  readonly action: EventAction
}

/** Undefined fields select all. */
export interface EventFilter {
  readonly area: EventArea | undefined
  readonly object: string | undefined
  /** The id of a token. */
  readonly token: number | undefined
}

export interface EventPage {
  /** Newest first. */
  readonly events: readonly ShownEvent[]
  /** `before` of the next page; null on the last page. */
  readonly next: number | null
  /** Number of events on all pages. */
  readonly total: number
}

/** The kind of the rules that name the objects of an area; undefined for areas whose things rules cannot name. */
const ruleKindOf: Readonly<Partial<Record<EventArea, RuleKind>>> = {
  dns: 'zone',
  tls: 'zone',
  sites: 'site',
  packages: 'package',
  deployments: 'deployment',
  cred: 'credential',
}

/** Whether the rules of a token allow to see an event: they must allow to read its object. */
export function isReadableEvent(rules: Rules | undefined, { area, object }: ShownEvent): boolean {
  const kind = ruleKindOf[area]
  return kind === undefined || allows(rules, { kind, name: object, access: 'read' })
}

/** Whether an event can be shown: not a change of a zone whose history is no longer kept. */
export const isShown = (row: EventRow): row is ShownEvent => row.area !== null && row.action !== null

/** How many rows are read in one turn of the event loop. */
const rowsAtOnce = 500

/** How many rows are counted in one turn of the event loop: in a millisecond. */
const rowsPerCount = 10_000

/** How many lists are read at a time, and how many requests for one wait: of an account, and of all. */
const limits = { each: { running: 1, waiting: 100 }, all: { running: 4, waiting: 1000 } }

const busy = () =>
  new ApiError('internal_error', 'Too many requests list events now. Try again later.', {}, { 'Retry-After': '1' })

async function countAll(db: Database, accountId: number, inTurn: Turns): Promise<number> {
  let total = 0
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const below = before
    const { count, oldest } = await inTurn(() => countSome(db, { accountId, before: below, rows: rowsPerCount }))
    total += count
    if (count < rowsPerCount) return total
    before = oldest
  }
}

/** All events are read: a database that could select them would need an index for each filter, which each event would pay for. */
async function filteredPage(
  db: Database,
  account: Account,
  filter: EventFilter,
  page: PageKey,
  inTurn: Turns,
): Promise<EventPage> {
  const { area, object, token } = filter
  const isWanted = (event: ShownEvent) =>
    (area ?? event.area) === event.area &&
    (object ?? event.object) === event.object &&
    (token ?? event.actorId) === event.actorId &&
    isReadableEvent(account.rules, event)
  const events: ShownEvent[] = []
  let total = 0
  let next: number | null = null
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const below = before
    const rows = await inTurn(() => readEvents(db, { accountId: account.id, before: below, rows: rowsAtOnce }))
    for (const event of rows.filter(isShown).filter(isWanted)) {
      total++
      if (event.id >= page.before) continue
      if (events.length < page.limit) events.push(event)
      else next ??= events.at(-1)?.id ?? null
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return { events, next, total }
    before = last.id
  }
}

async function wholePage(
  db: Database,
  { id: accountId }: Account,
  { limit, before }: PageKey,
  inTurn: Turns,
): Promise<EventPage> {
  const total = await countAll(db, accountId, inTurn)
  const rows: EventRow[] = []
  for (let below = before; rows.length <= limit;) {
    const wanted = Math.min(rowsAtOnce, limit + 1 - rows.length)
    const from = below
    const read = await inTurn(() => readEvents(db, { accountId, before: from, rows: wanted }))
    rows.push(...read)
    const last = read.at(-1)
    if (last === undefined || read.length < wanted) break
    below = last.id
  }
  const page = rows.slice(0, limit)
  return { events: page.filter(isShown), next: rows.length > limit ? (page.at(-1)?.id ?? null) : null, total }
}

export type EventStore = ReturnType<typeof eventStore>

export function eventStore(db: Database) {
  const oneEachTurn = turns()
  const slots = new KeyedSlots<number>({ ...limits, busy })

  /** Newest first. Fewer if the latest ones are changes of zones whose history is no longer kept. */
  async function latest({ id: accountId }: Account, limit: number): Promise<readonly ShownEvent[]> {
    const rows = await readEvents(db, { accountId, before: Number.MAX_SAFE_INTEGER, rows: limit })
    return rows.filter(isShown)
  }

  return {
    latest,
    /** @param hasLeft whether the client has left @throws ApiError if it has, or if too many requests list events */
    page: (
      account: Account,
      filter: EventFilter,
      page: PageKey,
      hasLeft: () => boolean = () => false,
    ): Promise<EventPage> => {
      const { area, object, token } = filter
      const isWhole = [area, object, token, account.rules].every((given) => given === undefined)
      const inTurn: Turns = (task) =>
        oneEachTurn(() => {
          requireClient(hasLeft)
          return task()
        })
      const read = () =>
        isWhole ? wholePage(db, account, page, inTurn) : filteredPage(db, account, filter, page, inTurn)
      return slots.run(account.id, Infinity, read)
    },
  }
}
