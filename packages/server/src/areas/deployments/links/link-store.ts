import { sql } from 'kysely'
import type { Database, Dialect } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { isSlug } from '../slug.js'
import { addToSlot, countUse, hourSlots } from '../use-count-store.js'
import { dayOf, hourOf } from '../../../shared/days.js'
import type { Batch } from '../../../shared/write-batch.js'
import { toLink, type Link, type LinkRow } from './link.js'

/** Served by the unique index deployment_at (kind, slug). */
const bySlug = prepared((db, p: { slug: string }) =>
  db
    .selectFrom('deployment')
    .where('kind', '=', 'shortlink')
    .where('slug', '=', p.slug)
    .where('enabled', '=', 1)
    .where(isServed('deployment.account_id'))
    .select(['id', 'target', 'settings', 'expires_at as expiresAt', 'max_uses as maxUses', 'uses'])
    .$narrowType<{ target: string }>(),
)

/** Checks and counts in one statement: the row is locked from the check on, so no use exceeds the maximum. */
const use = prepared((db, p: { slug: string; now: number }) =>
  db
    .updateTable('deployment')
    .set((row) => ({ uses: row('uses', '+', 1) }))
    .where('kind', '=', 'shortlink')
    .where('slug', '=', p.slug)
    .where('enabled', '=', 1)
    .where(isServed('deployment.account_id'))
    .whereRef('uses', '<', 'max_uses')
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', p.now)]))
    .returning(['id', 'target', 'settings', 'expires_at as expiresAt', 'max_uses as maxUses'])
    .$narrowType<{ target: string }>(),
)

const given = (json: string, dialect: Dialect) => {
  const field = (index: number) =>
    dialect === 'postgres' ? sql`cast(value ->> ${sql.lit(index)} as bigint)` : sql`value ->> ${sql.lit(index)}`
  const rows = dialect === 'postgres' ? sql`json_array_elements(cast(${json} as json))` : sql`json_each(${json})`
  return sql<{ id: number; uses: number }>`(select ${field(0)} as id, ${field(1)} as uses from ${rows})`.as<'given'>(
    sql.ref('given'),
  )
}

/** One statement for all links, locked in the order of their ids: processes that count the same links do not deadlock. */
const addAll = prepared((db, p: { batch: string }, dialect) =>
  db
    .updateTable('deployment')
    .from((from) =>
      from
        .selectFrom('deployment')
        .innerJoin(given(p.batch, dialect), 'given.id', 'deployment.id')
        .select(['deployment.id', 'given.uses'])
        .orderBy('deployment.id')
        .$if(dialect === 'postgres', (query) => query.forNoKeyUpdate('deployment'))
        .as('added'),
    )
    .set((row) => ({ uses: row('deployment.uses', '+', row.ref('added.uses')) }))
    .whereRef('deployment.id', '=', 'added.id'),
)

/** One statement for all links. The statement before it has locked those that exist. */
const addAllToDay = prepared((db, p: { batch: string; day: number }, dialect) =>
  db
    .insertInto('deployment_use_day')
    .columns(['deployment_id', 'day', 'uses'])
    .expression((from) =>
      from
        .selectFrom('deployment')
        .innerJoin(given(p.batch, dialect), 'given.id', 'deployment.id')
        .select(['deployment.id', sql<number>`cast(${p.day} as integer)`.as('day'), 'given.uses'])
        // SQLite would otherwise read the conflict clause as a condition of the join.
        .where(sql<boolean>`true`)
        .orderBy('deployment.id'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['deployment_id', 'day'])
        .doUpdateSet({ uses: sql<number>`deployment_use_day.uses + excluded.uses` }),
    ),
)

/** The same for the hour. */
const addAllToHour = prepared((db, p: { batch: string; hour: number; slot: number }, dialect) =>
  db
    .insertInto('deployment_use_hour')
    .columns(['deployment_id', 'slot', 'hour', 'uses', 'failures'])
    .expression((from) =>
      from
        .selectFrom('deployment')
        .innerJoin(given(p.batch, dialect), 'given.id', 'deployment.id')
        .select([
          'deployment.id',
          sql<number>`cast(${p.slot} as integer)`.as('slot'),
          sql<number>`cast(${p.hour} as integer)`.as('hour'),
          'given.uses',
          sql.lit(0).as('failures'),
        ])
        .where(sql<boolean>`true`)
        .orderBy('deployment.id'),
    )
    .onConflict((conflict) => conflict.columns(['deployment_id', 'slot']).doUpdateSet(addToSlot)),
)

const addUses = unit(import.meta, 'addUses', async (tx, batch: string, now: number) => {
  const hour = hourOf(now)
  tx.send(addAll, { batch })
  tx.send(addAllToDay, { batch, day: dayOf(now) })
  tx.send(addAllToHour, { batch, hour, slot: hour % hourSlots })
})

/** The lock key of uses of one link (see `Unit.lockKey`). */
const linkLockKey = (slug: string): string => `link ${slug}`

const useLink = unit(
  import.meta,
  'useLink',
  linkLockKey,
  async (tx, slug: string, now: number): Promise<LinkRow | undefined> => {
    const link = await tx.one(use, { slug, now })
    if (link !== undefined) countUse(tx, link.id, now)
    return link
  },
)

interface FoundLink extends Link {
  readonly uses: number
}

export type LinkStore = ReturnType<typeof linkStore>

/** Short links at their addresses. System store: an address has no account. */
export const linkStore = (db: Database) => ({
  /** @returns undefined for an unknown or disabled link */
  find: async (slug: string): Promise<FoundLink | undefined> => {
    const row = isSlug(slug) ? await db.one(bySlug, { slug }) : undefined
    return row && { ...toLink(row), uses: row.uses }
  },

  /** Counts a use of a link with a maximum. @returns undefined if it is used up, expired, disabled or unknown */
  use: async (slug: string): Promise<Link | undefined> => {
    const row = await db.write(useLink, slug, Date.now())
    return row && toLink(row)
  },

  /**
   * Adds to the uses of links without a maximum, and to those of the current day and hour. Those of deleted links are dropped. The day and
   * the hour are those of the call: uses in the last second of an hour count in the next one.
   * @param batch by id
   */
  addUses: (batch: Batch<number>): Promise<void> => db.write(addUses, JSON.stringify(batch), Date.now()),
})
