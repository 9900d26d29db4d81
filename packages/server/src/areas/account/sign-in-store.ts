import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { forgetAfterMs, waitAfter, type Counter } from './sign-in-rules.js'

/** Counts unless still blocked, and holds the row until the transaction ends: attempts side by side take turns. */
const count = prepared((db, p: { key: Uint8Array; now: number }) =>
  db
    .insertInto('sign_in_failure')
    .values({ key: p.key, failures: 1, blocked_until: p.now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({
        failures: row
          .case()
          .when('sign_in_failure.blocked_until', '>', p.now)
          .then(row.ref('sign_in_failure.failures'))
          .else(row('sign_in_failure.failures', '+', 1))
          .end(),
      })),
    )
    .returning(['failures', 'blocked_until']),
)

const uncount = prepared((db, p: { key: Uint8Array }) =>
  db
    .updateTable('sign_in_failure')
    .set((row) => ({ failures: row('failures', '-', 1) }))
    .where('key', '=', p.key),
)

const block = prepared((db, p: { key: Uint8Array; until: number }) =>
  db.updateTable('sign_in_failure').set({ blocked_until: p.until }).where('key', '=', p.key),
)

/** Served by sign_in_failure_by_time (blocked_until). */
const forgetOld = prepared((db, p: { before: number }) =>
  db.deleteFrom('sign_in_failure').where('blocked_until', '<', p.before),
)

const forget = prepared((db, p: { key: Uint8Array }) => db.deleteFrom('sign_in_failure').where('key', '=', p.key))

const attempt = unit('signIn.attempt', async (tx, counters: readonly Counter[], now: number) => {
  await tx.run(forgetOld, { before: now - forgetAfterMs })
  const counted = []
  for (const counter of counters) counted.push({ ...counter, ...(await tx.only(count, { key: counter.key, now })) })
  const blockedUntil = Math.max(...counted.map((counter) => counter.blocked_until))
  if (blockedUntil > now) {
    // Who is held up by one counter is not looked at, and so has not failed by the others.
    for (const { key, blocked_until } of counted) if (blocked_until <= now) await tx.run(uncount, { key })
    return blockedUntil
  }
  for (const { key, free, failures } of counted) await tx.run(block, { key, until: now + waitAfter(failures, free) })
  return null
})

const succeed = unit('signIn.succeed', async (tx, counters: readonly Counter[]) => {
  for (const { key } of counters) await tx.run(forget, { key })
})

export type SignInStore = ReturnType<typeof signInStore>

/** Failed sign-ins. It has no account: an email without one is counted like any other. */
export const signInStore = (db: Database) => ({
  /**
   * Counts an attempt as failed before the password is looked at: of many at once, only the free ones and the one that
   * starts the wait are.
   * @returns the time (milliseconds since the epoch) until which none is looked at; null where this one may be
   */
  attempt: (counters: readonly Counter[], now: number): Promise<number | null> => db.write(attempt, counters, now),

  succeed: (counters: readonly Counter[]): Promise<void> => db.write(succeed, counters),
})
