import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { forgetAfterMs, forgive, waitAfter, type Counter } from './failures.js'

/** Reads a counter and locks it until the transaction ends, so that simultaneous attempts are counted one after another. */
const lock = prepared((db, p: { key: Uint8Array; now: number }) =>
  db
    .insertInto('sign_in_failure')
    .values({ key: p.key, failures: 0, blocked_until: p.now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({ failures: row.ref('sign_in_failure.failures') })),
    )
    .returning(['failures', 'blocked_until']),
)

/** Removes the failure that was counted for an attempt, and the wait that it caused. */
const removeFailure = prepared((db, p: { key: Uint8Array; now: number }) =>
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
  tx.send(forgetOld, { before: now - forgetAfterMs })
  const locked = []
  for (const counter of counters) locked.push({ ...counter, ...(await tx.only(lock, { key: counter.key, now })) })
  // If one counter refuses the attempt, its password is not checked: the other counters must not count a failure.
  const waits = locked.filter(({ failures, free }) => failures > free).map(({ blocked_until }) => blocked_until)
  const blockedUntil = Math.max(now, ...waits)
  if (blockedUntil > now) {
    // Remove the rows without failures: a blocked network would leave two rows for a day with each new email.
    for (const { key, failures } of locked) if (failures === 0) tx.send(forget, { key })
    return blockedUntil
  }
  for (const { key, free, isShared, failures, blocked_until } of locked) {
    const left = isShared ? forgive(failures + 1, blocked_until, now) : { failures: failures + 1, since: now }
    const waitMs = waitAfter(left.failures, free)
    tx.send(block, { key, failures: left.failures, until: waitMs === 0 ? left.since : now + waitMs })
  }
  return null
})

const succeed = unit(import.meta, 'succeed', async (tx, counters: readonly Counter[], now: number) => {
  for (const { key, isShared } of counters)
    if (isShared) tx.send(removeFailure, { key, now })
    else tx.send(forget, { key })
})

export type SignInStore = ReturnType<typeof signInStore>

/** Failed sign-ins. Its methods take no account: emails without an account are counted too. */
export const signInStore = (db: Database) => ({
  /**
   * Counts an attempt as failed before its password is checked. Of many simultaneous attempts, only the free ones and the
   * one that starts the wait are checked.
   * @returns null if the password may be checked, else the end of the wait in milliseconds since the epoch
   */
  attempt: (counters: readonly Counter[], now: number): Promise<number | null> => db.write(attempt, counters, now),

  /** Removes the failure of a successful attempt. @param now the time of the attempt */
  succeed: (counters: readonly Counter[], now: number): Promise<void> => db.write(succeed, counters, now),
})
