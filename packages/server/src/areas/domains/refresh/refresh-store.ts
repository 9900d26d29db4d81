import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import {
  mergeRegistration,
  unknownRegistration,
  type FreshRegistration,
  type ShownRegistration,
} from '../portfolio/registration.js'

/** A domain to refresh. */
export interface DueDomain {
  readonly name: string
  readonly tld: string
  readonly failures: number
  readonly due_at: number
  readonly synced_at: number | null
}

/**
 * The first due domain of each top-level domain. The recursion steps from one top-level domain to the next, so that the rows between
 * them are not read. Served by domain_due (tld, due_at).
 * @param p.latestDueAt times beyond it count as due
 */
const due = prepared((db, p: { now: number; latestDueAt: number }) =>
  db
    .withRecursive('registry(tld)', (cte) =>
      cte
        .selectFrom('domain')
        .select((row) => row.fn.min<string | null>('tld').as('tld'))
        .unionAll(
          cte
            .selectFrom('registry')
            .where('registry.tld', 'is not', null)
            .select((registry) =>
              registry
                .selectFrom('domain')
                .whereRef('domain.tld', '>', 'registry.tld')
                .select((row) => row.fn.min<string | null>('domain.tld').as('tld'))
                .as('tld'),
            ),
        ),
    )
    .selectFrom('registry')
    .innerJoin('domain', (join) =>
      join.on('domain.id', '=', (on) =>
        on.fn.coalesce(
          on
            .selectFrom('domain as overdue')
            .whereRef('overdue.tld', '=', 'registry.tld')
            .where('overdue.due_at', '<=', p.now)
            .select('overdue.id')
            .orderBy('overdue.due_at')
            .limit(1),
          on
            .selectFrom('domain as misdated')
            .whereRef('misdated.tld', '=', 'registry.tld')
            .where('misdated.due_at', '>', p.latestDueAt)
            .select('misdated.id')
            .orderBy('misdated.due_at')
            .limit(1),
        ),
      ),
    )
    .select(['domain.name', 'domain.tld', 'domain.failures', 'domain.due_at', 'domain.synced_at'])
    .orderBy('domain.due_at'),
)

/** The last synced row of a domain, of any account. Served by domain_by_name (name, synced_at). */
const known = prepared((db, p: { name: string }) =>
  db
    .selectFrom('domain')
    .where('name', '=', p.name)
    .where('synced_at', 'is not', null)
    .select(['registration', 'synced_at'])
    .orderBy('synced_at', 'desc')
    .limit(1),
)

/**
 * Locks the rows until the transaction ends, so that two processes do not replace a newer answer with an older one. SQLite has one
 * writer at a time and no row locks. Served by domain_by_name.
 */
const lock = prepared((db, p: { name: string }, dialect) =>
  db
    .selectFrom('domain')
    .where('name', '=', p.name)
    .select('id')
    .orderBy('id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

interface SavedRegistration {
  readonly name: string
  readonly registration: string
  readonly registrar: string | null
  readonly expiresAt: number | null
  readonly syncedAt: number
  readonly dueAt: number
  readonly now: number
}

/** Served by domain_by_name. The revision counts what the calendar shows. */
const save = prepared((db, p: SavedRegistration) => {
  const registrar = sql<string | null>`cast(${p.registrar} as text)`
  const expiresAt = sql<number | null>`cast(${p.expiresAt} as bigint)`
  const isChanged = sql<boolean>`(registrar is distinct from ${registrar} or expires_at is distinct from ${expiresAt})`
  return db
    .updateTable('domain')
    .set({
      registrar,
      expires_at: expiresAt,
      synced_at: p.syncedAt,
      registration: p.registration,
      due_at: p.dueAt,
      failures: 0,
      revision: sql<number>`case when ${isChanged} then revision + 1 else revision end`,
      changed_at: sql<number>`case when ${isChanged} then cast(${p.now} as bigint) else changed_at end`,
    })
    .where('name', '=', p.name)
})

/** Served by domain_by_name. */
const schedule = prepared((db, p: { name: string; failures: number; dueAt: number }) =>
  db.updateTable('domain').set({ failures: p.failures, due_at: p.dueAt }).where('name', '=', p.name),
)

/** Rows of several accounts are changed: within a process, one change of a domain after another. */
const nameLockKey = (name: string): string => `domain ${name}`

const saveRegistration = unit(
  import.meta,
  'saveRegistration',
  nameLockKey,
  async (tx, name: string, fresh: FreshRegistration, fetchedAt: number, dueAt: number, now: number) => {
    await tx.all(lock, { name })
    const row = await tx.one(known, { name })
    const before = row ? (JSON.parse(row.registration) as ShownRegistration) : unknownRegistration
    const syncedAt = row?.synced_at ?? 0
    // A time in the future was saved while the clock was wrong.
    const isNewer = fetchedAt >= syncedAt || syncedAt > now
    const merged = isNewer ? mergeRegistration(before, fresh, fetchedAt) : before
    tx.send(save, {
      name,
      dueAt,
      now,
      registrar: merged.registrar,
      registration: JSON.stringify(merged),
      expiresAt: merged.expires_at === null ? null : Date.parse(merged.expires_at),
      syncedAt: isNewer ? fetchedAt : syncedAt,
    })
  },
)

const scheduleRefresh = unit(
  import.meta,
  'scheduleRefresh',
  nameLockKey,
  async (tx, name: string, failures: number, dueAt: number) => {
    await tx.all(lock, { name })
    tx.send(schedule, { name, failures, dueAt })
  },
)

export type RefreshStore = ReturnType<typeof refreshStore>

/** Refreshes of domains. System store: a domain stands for the rows of all accounts that have it. Times are milliseconds. */
export const refreshStore = (db: Database, clock: () => number) => ({
  /** The first due domain of each top-level domain, the longest overdue first. @param latestDueAt times beyond it count as due */
  due: (now: number, latestDueAt: number): Promise<DueDomain[]> => db.all(due, { now, latestDueAt }),

  /** Merges an answer of the registry into the known data. @param dueAt when the next refresh is due */
  save: (name: string, fresh: FreshRegistration, fetchedAt: number, dueAt: number): Promise<void> =>
    db.write(saveRegistration, name, fresh, fetchedAt, dueAt, clock()),

  /** Schedules the next refresh. @param failures since the last success */
  schedule: (name: string, failures: number, dueAt: number): Promise<void> =>
    db.write(scheduleRefresh, name, failures, dueAt),
})
