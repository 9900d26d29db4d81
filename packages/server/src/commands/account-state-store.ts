import { sql } from 'kysely'
import { nextVersion } from '../areas/dns/zones/version-store.js'
import { noteChange } from '../db/change-clock-store.js'
import type { Database } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unit } from '../db/unit.js'
import { recordEvent } from '../journal/event-store.js'
import type { Account } from '../shared/account.js'
import { servedStates, type AccountState } from '../shared/account-state.js'

/** Suspends and resumes accounts. Operator store. */

/** Locked until the transaction ends. SQLite has one writer at a time. */
const stateOf = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('account')
    .where('id', '=', p.id)
    .select('state')
    .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate()),
)

const setState = prepared((db, p: { id: number; state: AccountState }) =>
  db.updateTable('account').set({ state: p.state }).where('id', '=', p.id),
)

/** A new serial and version, so that every nameserver loads the zones again. Served by dns_zone_by_holder. */
const touchZones = prepared((db, p: { id: number }, dialect) =>
  db
    .updateTable('dns_zone')
    .set({
      // As `nextSerial`.
      serial: sql<number>`case when serial >= 4294967295 then 1 else serial + 1 end`,
      version: nextVersion(dialect),
    })
    .where('holder_id', '=', p.id),
)

/** Served by dns_zone_by_holder. */
const heldZones = prepared((db, p: { id: number }) =>
  db
    .selectFrom('dns_zone')
    .where('holder_id', '=', p.id)
    .where('deleted_at', 'is', null)
    .select('name')
    .orderBy('name'),
)

type Acting = Pick<Account, 'id' | 'actor'>

/** @returns the state before; undefined for an account that has been deleted meanwhile */
const changeState = unit(
  import.meta,
  'changeState',
  async (tx, { id, actor }: Acting, state: AccountState): Promise<AccountState | undefined> => {
    const before = (await tx.one(stateOf, { id }))?.state
    if (before === undefined || before === 'deleted' || before === state) return before
    tx.send(setState, { id, state })
    const event = { accountId: id, at: Date.now(), area: 'account', action: 'state_change', object: '', actor } as const
    recordEvent(tx, { ...event, before: { state: before }, after: { state } })
    if (servedStates.includes(before) === servedStates.includes(state)) return before
    tx.send(touchZones, { id })
    noteChange(tx, 'deployments')
    noteChange(tx, 'sites')
    return before
  },
)

export const accountStateStore = (db: Database) => ({
  /**
   * Changes the state of an account. An account that is being deleted stays so.
   * @returns the state before; undefined for an account that does not exist
   */
  change: ({ id, actor }: Account, state: Exclude<AccountState, 'deleted'>): Promise<AccountState | undefined> =>
    db.write(changeState, { id, actor }, state),

  /** The zones that serve the records of the account. */
  zones: async (id: number): Promise<string[]> => (await db.all(heldZones, { id })).map(({ name }) => name),
})
