import { sql } from 'kysely'
import type { Database } from '../db/port.js'
import { prepared } from '../db/prepared.js'
import { unit } from '../db/unit.js'

/**
 * Events of accounts that do not exist: an older version, which does not know events, has deleted them beside this one. System store.
 */

/** How many accounts are read at a time, and how many events one transaction removes. */
const atOnce = 500

/** Served by the primary key. */
const accountIds = prepared((db, p: { after: number; rows: number }) =>
  db.selectFrom('account').where('id', '>', p.after).select('id').orderBy('id').limit(p.rows),
)

/** An open interval of ids without an account. */
interface Gap {
  readonly above: number
  readonly below: number
}

/** The lowest account id with an event in each gap. Served by account_event_by_account (account_id, id). @param p.gaps JSON list */
const strangers = prepared((db, p: { gaps: string }, dialect) => {
  const gaps = dialect === 'postgres' ? sql`json_array_elements(cast(${p.gaps} as json))` : sql`json_each(${p.gaps})`
  const end = (name: keyof Gap) => sql<number>`cast(gaps.value ->> ${sql.lit(name)} as bigint)`
  return db
    .selectFrom(
      sql<{ id: number | null }>`(select (
        select account_event.account_id from account_event
        where account_event.account_id > ${end('above')} and account_event.account_id < ${end('below')}
        order by account_event.account_id limit 1) as id from ${gaps} as gaps)`.as<'strangers'>(sql.ref('strangers')),
    )
    .where('strangers.id', 'is not', null)
    .select('strangers.id')
})

/** Served by account_event_by_account. An account that was created meanwhile keeps its events. */
const remove = prepared((db, p: { accountId: number }) =>
  db
    .deleteFrom('account_event')
    .where('id', 'in', (from) =>
      from.selectFrom('account_event').where('account_id', '=', p.accountId).select('id').orderBy('id').limit(atOnce),
    )
    .where((from) =>
      from.not(from.exists(from.selectFrom('account').where('account.id', '=', p.accountId).select('account.id'))),
    ),
)

const removeOrphans = unit(
  import.meta,
  'removeOrphanedEvents',
  (accountId: number) => `events of ${String(accountId)}`,
  async (tx, accountId: number) => tx.run(remove, { accountId }),
)

export const orphanStore = (db: Database) => ({
  /** Gaps between the ids of accounts, in parts. The last one has no end. */
  async *gaps(): AsyncGenerator<readonly Gap[], void> {
    for (let above = 0; ;) {
      const ids = (await db.all(accountIds, { after: above, rows: atOnce })).map(({ id }) => id)
      const isLast = ids.length < atOnce
      const gaps = [...ids, ...(isLast ? [Number.MAX_SAFE_INTEGER] : [])].map((below, i, all) => ({
        above: all[i - 1] ?? above,
        below,
      }))
      yield gaps.filter((gap) => gap.below - gap.above > 1)
      if (isLast) return
      above = ids.at(-1) ?? above
    }
  },

  /** Accounts that do not exist and have events, at most one of each gap. */
  strangers: async (gaps: readonly Gap[]): Promise<readonly number[]> =>
    (await db.all(strangers, { gaps: JSON.stringify(gaps) })).flatMap(({ id }) => id ?? []),

  /** Removes a part of the events of an account that does not exist. @returns how many were removed */
  remove: (accountId: number): Promise<number> => db.write(removeOrphans, accountId),
})
