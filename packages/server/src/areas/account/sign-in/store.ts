import type { Database, Transaction } from '../../../db/port.js'
import { isIn } from '../../../db/json-list.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordOperatorEvent } from '../../../journal/event-store.js'
import {
  addedByNetworkMax,
  emailKey,
  forgetAfterMs,
  forgive,
  forgiveEveryMs,
  waitAfter,
  type Counter,
} from './failures.js'

/** Reads a counter and locks it until the transaction ends, so that simultaneous attempts are counted one after another. */
const lock = prepared((db, p: { key: Uint8Array; email: Uint8Array | null; now: number }) =>
  db
    .insertInto('sign_in_failure')
    .values({ key: p.key, email: p.email, failures: 0, forgiven_until: p.now, blocked_until: p.now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((row) => ({ failures: row.ref('sign_in_failure.failures') })),
    )
    .returning(['failures', 'forgiven_until', 'blocked_until']),
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

const block = prepared((db, p: { key: Uint8Array; failures: number; since: number; until: number }) =>
  db
    .updateTable('sign_in_failure')
    .set({ failures: p.failures, forgiven_until: p.since, blocked_until: p.until })
    .where('key', '=', p.key),
)

/** How many old counters an attempt removes. More than an attempt adds, so that they become fewer. */
const forgottenAtOnce = 100

/**
 * Served by sign_in_failure_by_time (blocked_until). On PostgreSQL it leaves rows that another attempt has locked: waiting for
 * them, while that attempt waits for one of this transaction, would be a deadlock.
 */
const forgetOld = prepared((db, p: { before: number }, dialect) =>
  db.deleteFrom('sign_in_failure').where((where) =>
    isIn(
      'key',
      where
        .selectFrom('sign_in_failure')
        .select('key')
        .where('blocked_until', '<', p.before)
        .orderBy('blocked_until')
        .limit(forgottenAtOnce)
        .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked()),
      dialect,
    ),
  ),
)

const forget = prepared((db, p: { key: Uint8Array }) => db.deleteFrom('sign_in_failure').where('key', '=', p.key))

/** Served by sign_in_failure_by_email (email). */
const forgetEmail = prepared((db, p: { email: Uint8Array }) =>
  db.deleteFrom('sign_in_failure').where('email', '=', p.email),
)

/** A counter at an attempt. */
interface Counted {
  readonly counter: Counter
  /** Before the attempt. */
  readonly failures: number
  /** With the attempt, as of `forgive`. */
  readonly next: { readonly failures: number; readonly since: number }
  readonly blockedUntil: number
  /** Whether the network of the attempt adds no more failures to this counter. */
  readonly isExhausted: boolean
}

async function lockCounters(tx: Transaction, counters: readonly Counter[], now: number): Promise<Counted[]> {
  const rows: { counter: Counter; failures: number; forgiven_until: number; blocked_until: number }[] = []
  for (const counter of counters) {
    const row = await tx.only(lock, { ...counter, now })
    const isOld = row.blocked_until < now - forgetAfterMs
    rows.push({ counter, ...row, ...(isOld && { failures: 0, forgiven_until: now }) })
  }
  const isExhausted = ({ onlyFirstOf }: Counter): boolean =>
    onlyFirstOf !== undefined &&
    rows.some(({ counter, failures }) => isSameKey(counter.key, onlyFirstOf) && failures >= addedByNetworkMax)
  return rows.map(({ counter, failures, forgiven_until: since, blocked_until: blockedUntil }) => {
    const next = counter.isForgiven ? forgive(failures + 1, since, now) : { failures: failures + 1, since: now }
    return { counter, failures: next.failures - 1, next, blockedUntil, isExhausted: isExhausted(counter) }
  })
}

const isSameKey = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0

/** The end of the wait of a counter; in the past without a wait. */
function waitEnd({ counter, failures, blockedUntil, isExhausted }: Counted, now: number): number {
  if (failures <= counter.free) return 0
  // Many networks guess: without this, those that count no more could go on without a limit together.
  return isExhausted ? Math.max(blockedUntil, now + forgiveEveryMs) : blockedUntil
}

const attempt = unit(import.meta, 'attempt', async (tx, counters: readonly Counter[], now: number) => {
  const counted = await lockCounters(tx, counters, now)
  // If one counter refuses the attempt, its password is not checked: the other counters must not count a failure.
  const blockedUntil = Math.max(...counted.map((one) => waitEnd(one, now)))
  if (blockedUntil > now) {
    tx.send(forgetOld, { before: now - forgetAfterMs })
    // Remove the rows without failures: a blocked network would leave rows for a day with each new email.
    for (const { counter, failures } of counted) if (failures === 0) tx.send(forget, counter)
    return blockedUntil
  }
  for (const { counter, next, isExhausted } of counted) {
    if (isExhausted) continue
    tx.send(block, { key: counter.key, ...next, until: now + waitAfter(next.failures, counter.free) })
  }
  // Last: its own rows are no longer old.
  tx.send(forgetOld, { before: now - forgetAfterMs })
  return null
})

const succeed = unit(import.meta, 'succeed', async (tx, counters: readonly Counter[], now: number) => {
  for (const { key, isShared } of counters)
    if (isShared) tx.send(removeFailure, { key, now })
    else tx.send(forget, { key })
})

const unlockEmail = unit(import.meta, 'unlockEmail', async (tx, email: string) => {
  clearWaits(tx, email)
  recordOperatorEvent(tx, { at: Date.now(), command: 'svc user unlock', object: email, accountId: null })
})

/** Clears the waits of an email, in the transaction that changes its password. Those of networks stay. */
export const clearWaits = (tx: Transaction, email: string): void => {
  const key = emailKey(email)
  // First, in the order of attempts: otherwise the two could wait for each other.
  tx.send(lock, { key, email: key, now: Date.now() })
  tx.send(forgetEmail, { email: key })
}

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

  /** Clears the waits of an email, for the operator. */
  unlock: (email: string): Promise<void> => db.write(unlockEmail, email),
})
