import { isIn } from '../../db/json-list.js'
import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import type { Registration } from './port.js'

/** Times of a stored answer, in milliseconds since the epoch. */
export interface AnswerTimes {
  readonly fetchedAt: number
  readonly freshUntil: number
  readonly removeAfter: number
}

/** When a process begins to ask a registry, and when others may ask instead, in milliseconds since the epoch. */
export interface Claim {
  readonly now: number
  readonly until: number
  /** A claim that ends later comes from a wrong clock, and is replaced. */
  readonly latest: number
}

/** What is stored about a domain. */
export interface StoredRegistration {
  /** JSON; null for an unregistered domain. Undefined before the first answer. */
  readonly answer: { readonly data: string | null; readonly fetchedAt: number; readonly freshUntil: number } | undefined
  readonly claimedUntil: number
  readonly failure: { readonly message: string; readonly at: number } | undefined
}

// Served by the primary key.
const byDomain = prepared((db, p: { domain: string }) =>
  db
    .selectFrom('registration')
    .select(['data', 'fetched_at', 'fresh_until', 'claimed_until', 'error', 'failed_at'])
    .where('domain', '=', p.domain),
)

// Served by the primary key. The constraint decides which process gets the claim.
const takeClaim = prepared((db, p: Claim & { domain: string; fetchedAt: number; failedAt: number }) =>
  db
    .insertInto('registration')
    .values({
      domain: p.domain,
      data: null,
      fetched_at: null,
      fresh_until: 0,
      claimed_until: p.until,
      error: null,
      failed_at: null,
      remove_after: p.until,
    })
    .onConflict((conflict) =>
      conflict
        .column('domain')
        .doUpdateSet((to) => ({
          claimed_until: to.ref('excluded.claimed_until'),
          remove_after: to
            .case()
            .when('registration.remove_after', '<', to.ref('excluded.remove_after'))
            .then(to.ref('excluded.remove_after'))
            .else(to.ref('registration.remove_after'))
            .end(),
        }))
        .where((row) =>
          row.or([row('registration.claimed_until', '<=', p.now), row('registration.claimed_until', '>', p.latest)]),
        )
        .where((row) => row(row.fn.coalesce('registration.fetched_at', row.val(-1)), '=', p.fetchedAt))
        .where((row) => row(row.fn.coalesce('registration.failed_at', row.val(-1)), '=', p.failedAt)),
    )
    .returning('domain'),
)

// Served by the primary key. A claim that has ended may have lost its row.
const setAnswer = prepared(
  (db, p: { domain: string; data: string | null; fetched: number; fresh: number; remove: number }) =>
    db
      .insertInto('registration')
      .values({
        domain: p.domain,
        data: p.data,
        fetched_at: p.fetched,
        fresh_until: p.fresh,
        remove_after: p.remove,
        claimed_until: 0,
        error: null,
        failed_at: null,
      })
      .onConflict((conflict) =>
        conflict
          .column('domain')
          .doUpdateSet((to) => ({
            data: to.ref('excluded.data'),
            fetched_at: to.ref('excluded.fetched_at'),
            fresh_until: to.ref('excluded.fresh_until'),
            remove_after: to.ref('excluded.remove_after'),
            claimed_until: 0,
            error: null,
            failed_at: null,
          })),
      ),
)

const setFailure = prepared((db, p: { domain: string; error: string; at: number }) =>
  db
    .updateTable('registration')
    .set({ claimed_until: 0, error: p.error, failed_at: p.at })
    .where('domain', '=', p.domain),
)

/** Served by registration_remove_after, and by the primary key. */
const oldRows = prepared((db, p: { now: number; limit: number }, dialect) => {
  const old = db.selectFrom('registration').select('domain').where('remove_after', '<', p.now).limit(p.limit)
  return db.deleteFrom('registration').where(isIn('domain', old, dialect))
})

const claimLookUp = unit(
  import.meta,
  'claimLookUp',
  async (tx: Transaction, domain: string, claim: Claim, seen: StoredRegistration | undefined): Promise<boolean> => {
    const [fetchedAt, failedAt] = [seen?.answer?.fetchedAt ?? -1, seen?.failure?.at ?? -1]
    return (await tx.one(takeClaim, { ...claim, domain, fetchedAt, failedAt })) !== undefined
  },
)

const saveAnswer = unit(
  import.meta,
  'saveAnswer',
  async (tx: Transaction, domain: string, data: string | null, times: AnswerTimes): Promise<void> => {
    const { fetchedAt: fetched, freshUntil: fresh, removeAfter: remove } = times
    tx.send(setAnswer, { domain, data, fetched, fresh, remove })
  },
)

const saveFailure = unit(
  import.meta,
  'saveFailure',
  async (tx: Transaction, domain: string, error: string, at: number): Promise<void> => {
    tx.send(setFailure, { domain, error, at })
  },
)

const removeOldRows = unit(
  import.meta,
  'removeOldRows',
  async (tx: Transaction, now: number, limit: number): Promise<boolean> =>
    (await tx.run(oldRows, { now, limit })) === limit,
)

/** The answers of registries, shared by all processes and accounts. A claim makes one process ask the registry. */
export const registrationStore = (db: Database) => ({
  async find(domain: string): Promise<StoredRegistration | undefined> {
    const row = await db.one(byDomain, { domain })
    if (row === undefined) return undefined
    const { data, fetched_at: fetchedAt, fresh_until: freshUntil, failed_at: failedAt, error } = row
    return {
      answer: fetchedAt === null ? undefined : { data, fetchedAt, freshUntil },
      claimedUntil: row.claimed_until,
      failure: failedAt === null || error === null ? undefined : { message: error, at: failedAt },
    }
  },

  /**
   * Claims the look-up for this process, unless another process has claimed it or has stored a result since the row was read.
   * @param seen the row, as it was read
   */
  claim: (domain: string, claim: Claim, seen: StoredRegistration | undefined): Promise<boolean> =>
    db.write(claimLookUp, domain, claim, seen),

  /** Replaces the answer, and ends the claim. */
  save: (domain: string, registration: Registration | undefined, times: AnswerTimes): Promise<void> =>
    db.write(saveAnswer, domain, registration === undefined ? null : JSON.stringify(registration), times),

  /** Keeps the last answer, and ends the claim. */
  saveFailure: (domain: string, message: string, at: number): Promise<void> =>
    db.write(saveFailure, domain, message, at),

  /** Removes a limited number of rows, so that the transaction is short. @returns whether there may be more */
  removeOld: (now: number): Promise<boolean> => db.write(removeOldRows, now, 1_000),
})

export type RegistrationStore = ReturnType<typeof registrationStore>
