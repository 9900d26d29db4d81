import { sql } from 'kysely'
import { badRequest } from '@svc/contract/errors'
import { lockAccount } from '../../../db/account-lock-store.js'
import { textList } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import { limitOf } from '../../../shared/account-limits.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { toDomain, type Domain } from './domain.js'
import { listStore } from './list-store.js'
import { tldOf } from './names.js'
import { unknownRegistration } from './registration.js'

const columns = ['id', 'account_id', 'name', 'note', 'registration'] as const

/** Served by domain_once (account_id, name). */
const byNames = prepared((db, p: { accountId: number; names: string }, dialect) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .where('name', 'in', textList(p.names, dialect))
    .select(columns),
)

/** Served by domain_once. PostgreSQL may take domain_by_name while almost all domains have different names. */
const byName = prepared((db, p: { accountId: number; name: string }) =>
  db.selectFrom('domain').where('account_id', '=', p.accountId).where('name', '=', p.name).select(columns),
)

/** The domain of any account. Served by domain_by_name. */
const anyByName = prepared((db, p: { name: string }) =>
  db.selectFrom('domain').where('name', '=', p.name).select(columns).limit(1),
)

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedById = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('domain')
    .where('id', '=', p.id)
    .select(columns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** Served by domain_revision (account_id, revision, id). */
const count = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .select((row) => row.fn.countAll<number>().as('count')),
)

type NewDomain = readonly [name: string, tld: string]

/** New domains are refreshed before those that are due for less than a day, so that they do not wait for the end of a night. */
const headStartMs = 24 * 60 * 60_000

interface DomainInsert {
  readonly accountId: number
  readonly added: string
  readonly registration: string
  readonly dueAt: number
  readonly now: number
}

/** @param p.added JSON array of `NewDomain` */
const insert = prepared((db, p: DomainInsert, dialect) => {
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${p.added} as json))` : sql`json_each(${p.added})`
  return db
    .insertInto('domain')
    .columns([
      ...(['account_id', 'name', 'tld', 'note', 'registration', 'due_at'] as const),
      ...(['failures', 'revision', 'changed_at'] as const),
    ])
    .expression((from) =>
      from
        .selectFrom(
          sql<{ name: string; tld: string }>`(select value ->> 0 as name, value ->> 1 as tld from ${rows})`.as<'added'>(
            sql.ref('added'),
          ),
        )
        .select([
          sql<number>`cast(${p.accountId} as bigint)`.as('account_id'),
          ...(['name', 'tld'] as const),
          sql<string>`''`.as('note'),
          sql<string>`cast(${p.registration} as text)`.as('registration'),
          sql<number>`cast(${p.dueAt} as bigint)`.as('due_at'),
          ...[sql<number>`0`.as('failures'), sql<number>`0`.as('revision')],
          sql<number>`cast(${p.now} as bigint)`.as('changed_at'),
        ]),
    )
})

const remove = prepared((db, p: { id: number }) => db.deleteFrom('domain').where('id', '=', p.id))

const setNote = prepared((db, p: { id: number; note: string; now: number }) =>
  db
    .updateTable('domain')
    .set((row) => ({ note: p.note, revision: row('revision', '+', 1), changed_at: p.now }))
    .where('id', '=', p.id)
    .returning(columns),
)

async function lockOwn(tx: Transaction, accountId: number, id: number): Promise<Domain> {
  const row = await tx.one(lockedById, { id })
  requireOwner(row, accountId, 'domain', id)
  return toDomain(row)
}

/** Who changes the domains of an account. */
interface Writer {
  readonly accountId: number
  readonly actor: Actor
  readonly now: number
}

const writerOf = ({ id: accountId, actor }: Account): Writer => ({ accountId, actor, now: Date.now() })

type DomainEvent = Parameters<typeof recordEvent<'domains'>>[1]

const event = (
  tx: Transaction,
  { now: at, ...by }: Writer,
  given: Omit<DomainEvent, keyof Writer | 'area' | 'at'>,
): void => {
  recordEvent(tx, { ...by, at, area: 'domains', ...given })
}

/** The lock key of units that lock an account to count its domains (see `Unit.lockKey`). */
const accountLockKey = ({ accountId }: Writer): string => `domains of ${String(accountId)}`

const addDomains = unit(
  import.meta,
  'addDomains',
  accountLockKey,
  async (tx, writer: Writer, domains: readonly NewDomain[], max: number): Promise<Domain[]> => {
    const { accountId, now } = writer
    lockAccount(tx, accountId)
    const wanted = { accountId, names: JSON.stringify(domains.map(([name]) => name)) }
    const known = new Set((await tx.all(byNames, wanted)).map(({ name }) => name))
    const added = domains.filter(([name]) => !known.has(name))
    const { count: existing } = await tx.only(count, { accountId })
    if (added.length > 0 && existing + added.length > max)
      throw badRequest(
        'domains',
        `must have at most ${String(max - existing)} new domains, not ${String(added.length)}: the account has ${String(existing)} of ${String(max)}`,
      )
    const registration = JSON.stringify(unknownRegistration)
    tx.send(insert, { accountId, added: JSON.stringify(added), registration, dueAt: now - headStartMs, now })
    const names = added.map(([name]) => name)
    const [name = ''] = names
    if (added.length === 1) event(tx, writer, { object: name, action: 'domain_add' })
    else if (added.length > 0)
      event(tx, writer, { object: '', action: 'domain_add', after: { count: added.length, domains: names } })
    const rows = new Map((await tx.all(byNames, wanted)).map((row) => [row.name, toDomain(row)]))
    return domains.flatMap(([name]) => rows.get(name) ?? [])
  },
)

const removeDomain = unit(import.meta, 'removeDomain', async (tx, writer: Writer, id: number) => {
  const { domain } = await lockOwn(tx, writer.accountId, id)
  tx.send(remove, { id })
  event(tx, writer, { object: domain, action: 'domain_remove' })
})

const annotateDomain = unit(
  import.meta,
  'annotateDomain',
  async (tx, writer: Writer, id: number, note: string): Promise<Domain> => {
    const found = await lockOwn(tx, writer.accountId, id)
    if (found.note === note) return found
    event(tx, writer, { object: found.domain, action: 'domain_change', after: { changed: ['note'] } })
    return toDomain(await tx.only(setNote, { id, note, now: writer.now }))
  },
)

export type PortfolioStore = ReturnType<typeof portfolioStore>

/** Domains of an account. @param max the setting */
export function portfolioStore(db: Database, max: number) {
  return {
    ...listStore(db),

    /** @throws ApiError `not_found`; `forbidden` for a domain that only other accounts have */
    find: async (account: Account, name: string): Promise<Domain> => {
      const row = (await db.one(byName, { accountId: account.id, name })) ?? (await db.one(anyByName, { name }))
      requireOwner(row, account.id, 'domain', `${name} in the portfolio`)
      return toDomain(row)
    },

    /**
     * Adds the domains that are missing. They are due for their first refresh.
     * @param names canonical, each once
     * @returns all of them, in the same order
     * @throws ApiError `bad_request` beyond the limit: then no domain is added
     */
    add: (account: Account, names: readonly string[]): Promise<Domain[]> =>
      db.write(
        addDomains,
        writerOf(account),
        names.map((name) => [name, tldOf(name)] as const),
        limitOf(account, 'domains', max),
      ),

    /** @throws ApiError `not_found`; `forbidden` for a domain of another account */
    remove: (account: Account, id: number): Promise<void> => db.write(removeDomain, writerOf(account), id),

    /** @throws ApiError `not_found`; `forbidden` for a domain of another account */
    annotate: (account: Account, id: number, note: string): Promise<Domain> =>
      db.write(annotateDomain, writerOf(account), id, note),
  }
}
