import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { forgetAfterMs, forgive, waitAfter, type Counter } from './failures.js'

/** The counter as it is, locked until the transaction ends: simultaneous attempts are counted one after the other. */
const lock = prepared((db, p: { key: Uint8Array; now: number }) =>
  db
    .insertInto('sign_in_failure')
    .values({ key: p.key, failures: 0, blocked_until: p.now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({ failures: row.ref('sign_in_failure.failures') })),
    )
    .returning(['failures', 'blocked_until']),
)

/** Takes back the failure that an attempt was counted as, and the wait that it caused. */
const takeBack = prepared((db, p: { key: Uint8Array; now: number }) =>
  db
    .updateTable('sign_in_failure')
    .set((row) => ({
      failures: row('failures', '-', 1),
      blocked_until: row.case().when('blocked_until', '>', p.now).then(p.now).else(row.ref('blocked_until')).end(),
    }))
    .where('key', '=', p.key),
)

const block = prepared((db, p: { key: Uint8Array; failures: number; until: number }) =>
  db.updateTable('sign_in_failure').set({ failures: p.failures, blocked_until: p.until }).where('key', '=', p.key),
)

/** Served by sign_in_failure_by_time (blocked_until). */
const forgetOld = prepared((db, p: { before: number }) =>
  db.deleteFrom('sign_in_failure').where('blocked_until', '<', p.before),
)

const forget = prepared((db, p: { key: Uint8Array }) => db.deleteFrom('sign_in_failure').where('key', '=', p.key))

const attempt = unit(import.meta, 'attempt', async (tx, counters: readonly Counter[], now: number) => {
  await tx.run(forgetOld, { before: now - forgetAfterMs })
  const locked = []
  for (const counter of counters) locked.push({ ...counter, ...(await tx.only(lock, { key: counter.key, now })) })
  // If one counter refuses an attempt, its password is not checked, so it is no failure for the other counters.
  const waits = locked.filter(({ failures, free }) => failures > free).map(({ blocked_until }) => blocked_until)
  const blockedUntil = Math.max(now, ...waits)
  if (blockedUntil > now) {
    // Rows that count nothing: from a network that is blocked, each new email would leave two of them for a day.
    for (const { key, failures } of locked) if (failures === 0) await tx.run(forget, { key })
    return blockedUntil
  }
  for (const { key, free, isShared, failures, blocked_until } of locked) {
    const left = isShared ? forgive(failures + 1, blocked_until, now) : { failures: failures + 1, since: now }
    const waitMs = waitAfter(left.failures, free)
    await tx.run(block, { key, failures: left.failures, until: waitMs === 0 ? left.since : now + waitMs })
  }
  return null
})

const succeed = unit(import.meta, 'succeed', async (tx, counters: readonly Counter[], now: number) => {
  for (const { key, isShared } of counters)
    if (isShared) await tx.run(takeBack, { key, now })
    else await tx.run(forget, { key })
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

  /** @param now the time that its attempt was counted at */
  succeed: (counters: readonly Counter[], now: number): Promise<void> => db.write(succeed, counters, now),
})
