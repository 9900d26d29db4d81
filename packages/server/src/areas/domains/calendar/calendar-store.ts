import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { Account } from '../../../shared/account.js'

/** SHA-256 is enough: the key is too random to guess, so a slow hash would protect nothing more. */
const digest = (key: string): Buffer => hash('sha256', key, 'buffer')

/** Primary key. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('domain_calendar').where('account_id', '=', p.accountId).select('created_at'),
)

const replace = prepared((db, p: { accountId: number; hash: Uint8Array; now: number }) =>
  db
    .insertInto('domain_calendar')
    .values({ account_id: p.accountId, hash: p.hash, created_at: p.now })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ hash: p.hash, created_at: p.now })),
)

const remove = prepared((db, p: { accountId: number }) =>
  db.deleteFrom('domain_calendar').where('account_id', '=', p.accountId),
)

/** The sums are served by domain_revision (account_id, revision, id), the address by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) =>
  db
    .selectFrom('domain_calendar')
    .leftJoin('domain', 'domain.account_id', 'domain_calendar.account_id')
    .where('domain_calendar.hash', '=', p.hash)
    .where(isServed('domain_calendar.account_id'))
    .groupBy('domain_calendar.account_id')
    .select((row) => [
      'domain_calendar.account_id',
      row.fn.count<number>('domain.id').as('domains'),
      sql<number>`cast(coalesce(sum(domain.id), 0) as bigint)`.as('ids'),
      sql<number>`cast(coalesce(sum(domain.revision), 0) as bigint)`.as('revisions'),
    ]),
)

/** Served by domain_once (account_id, name). */
const page = prepared((db, p: { accountId: number; after: string; since: number; limit: number }) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .where('name', '>', p.after)
    .where('expires_at', '>=', p.since)
    .select(['name', 'note', 'registrar', 'expires_at', 'changed_at'])
    .orderBy('name')
    .limit(p.limit),
)

/** Whose calendar it is, and who changes it. */
type Writer = Pick<Account, 'id' | 'actor'>

const record = (
  tx: Transaction,
  { id: accountId, actor }: Writer,
  action: 'calendar_create' | 'calendar_delete',
): void => {
  recordEvent(tx, { accountId, at: Date.now(), area: 'domains', action, object: '', actor })
}

const replaceCalendar = unit(
  import.meta,
  'replaceCalendar',
  async (tx, writer: Writer, key: Uint8Array, now: number) => {
    tx.send(replace, { accountId: writer.id, hash: Buffer.from(key), now })
    record(tx, writer, 'calendar_create')
  },
)

const removeCalendar = unit(import.meta, 'removeCalendar', async (tx, writer: Writer) => {
  const isRemoved = (await tx.run(remove, { accountId: writer.id })) > 0
  if (isRemoved) record(tx, writer, 'calendar_delete')
  return isRemoved
})

/** A calendar at its address. */
export interface FoundCalendar {
  readonly accountId: number
  /** Differs after each change of the domains: later ids are larger, and revisions only grow. */
  readonly version: string
}

/** A domain in a calendar. Times are milliseconds since the epoch. */
export interface CalendarDomain {
  readonly name: string
  readonly note: string
  readonly registrar: string | null
  readonly expires_at: number
  readonly changed_at: number
}

export type CalendarStore = ReturnType<typeof calendarStore>

/** Addresses of calendars. */
export const calendarStore = (db: Database) => ({
  /** When the account's address was made; undefined without one. */
  createdAt: async (account: Account): Promise<number | undefined> =>
    (await db.one(ofAccount, { accountId: account.id }))?.created_at,

  /** Makes an address, and replaces an earlier one. The key is returned once and not stored. */
  create: async (account: Account): Promise<{ key: string; createdAt: number }> => {
    const [key, createdAt] = [randomBytes(16).toString('hex'), Date.now()]
    await db.write(replaceCalendar, { id: account.id, actor: account.actor }, digest(key), createdAt)
    return { key, createdAt }
  },

  /** @returns whether there was an address */
  remove: ({ id, actor }: Account): Promise<boolean> => db.write(removeCalendar, { id, actor }),

  /** System: the calendar of a key; undefined for an unknown key. */
  byKey: async (key: string): Promise<FoundCalendar | undefined> => {
    const row = await db.one(byHash, { hash: digest(key) })
    if (row === undefined) return undefined
    const { account_id: accountId, domains, ids, revisions } = row
    return { accountId, version: [domains, ids, revisions].join(' ') }
  },

  /**
   * System: the domains of an account in the order of their names, without those whose expiry is unknown or before a time.
   * @param after the last name of the previous page; empty for the first page
   */
  page: async (accountId: number, since: number, after: string, limit: number): Promise<CalendarDomain[]> =>
    (await db.all(page, { accountId, since, after, limit })) as CalendarDomain[],
})
