import { sql } from 'kysely'
import { limitsColumns, toLimits } from '../../../db/account-limits.js'
import type { Database, Dialect } from '../../../db/port.js'
import { isServed } from '../../../db/served-accounts.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { limitOf, type AccountLimits } from '../../../shared/account-limits.js'
import { inboxLockKey } from '../inbox-store.js'
import { removeOldest } from './removal-store.js'

/** The key that a device has posted to. */
export interface DeviceKey {
  readonly id: number
  readonly accountId: number
  readonly lastUsedAt: number | null
  /** SHA-256 of its value. */
  readonly hash: Uint8Array
  /** The signing key, encrypted; null if the device does not sign. */
  readonly sealed: Uint8Array | null
  /** Of its account. */
  readonly limits: AccountLimits
}

/** A message to be stored. */
export interface NewMessage {
  /** 16 bytes as hexadecimal digits, equal for repeats of one message. They begin with a time, so that inserts touch few pages. */
  readonly deduplicationKey: string
  /** Another deduplication key of the same message, for one without the time of the device. */
  readonly earlierDeduplicationKey: string | null
  readonly receivedAt: number
  /** Of the texts, in bytes. */
  readonly size: number
  readonly sender: string
  readonly receiver: string | null
  readonly sim: string | null
  readonly device: string | null
  readonly body: string
}

/** Served by the unique index on hash. */
const byHash = prepared((db, p: { hash: Uint8Array }) =>
  db
    .selectFrom('sms_key')
    .innerJoin('account', 'account.id', 'sms_key.account_id')
    .where('hash', '=', p.hash)
    .where(isServed('sms_key.account_id'))
    .select(['sms_key.id', 'account_id as accountId', 'last_used_at as lastUsedAt', 'hash', 'sealed'])
    .select(limitsColumns),
)

/** Locks the inbox until the transaction ends, so the next statement sees a revocation that has been answered. */
const takeIds = prepared((db, p: { accountId: number; count: number }) =>
  db
    .updateTable('sms_inbox')
    .set((row) => ({ last_id: row('last_id', '+', p.count) }))
    .where('account_id', '=', p.accountId)
    .returning(['last_id as lastId', 'removed_id as removedId', 'deleted']),
)

/** Served by the primary key. */
const stateOf = prepared((db, p: { id: number }) =>
  db.selectFrom('sms_key').where('id', '=', p.id).select(['sealed', 'last_used_at as lastUsedAt']),
)

interface GivenRows {
  accountId: number
  /** JSON of a list of messages (`toRow`). */
  rows: string
}

/** The rows of a list as a table with a `value` and its `position` from 0. */
const given = (rows: string, dialect: Dialect) =>
  dialect === 'postgres'
    ? sql`(select value, ordinality - 1 as position from json_array_elements(cast(${rows} as json)) with ordinality) as given`
    : sql`(select value, key as position from json_each(${rows})) as given`

const item = (index: number) => sql`value ->> ${sql.lit(index)}`

const bytesItem = (index: number, dialect: Dialect) =>
  dialect === 'postgres' ? sql`decode(${item(index)}, 'hex')` : sql`unhex(${item(index)})`

const numberItem = (index: number, dialect: Dialect) =>
  dialect === 'postgres' ? sql`cast(${item(index)} as bigint)` : item(index)

/**
 * Positions of the messages that are stored already. Served by sms_message_once: two look-ups for each message. With `exists`,
 * PostgreSQL could run a join, and read all messages of the account.
 */
const storedBefore = prepared((db, p: GivenRows, dialect) => {
  const deduplicationKeys = sql.join([bytesItem(0, dialect), bytesItem(1, dialect)])
  const positions = sql<{ position: number }>`(
    select position from ${given(p.rows, dialect)}
    where (
      select count(*) from sms_message where account_id = ${p.accountId} and deduplication_key in (${deduplicationKeys})
    ) > 0
  )`
  return db.selectFrom(positions.as<'repeats'>(sql.ref('repeats'))).select('position')
})

const toRow = (m: NewMessage) => [
  ...[m.deduplicationKey, m.earlierDeduplicationKey, m.receivedAt, m.size],
  ...[m.sender, m.receiver, m.sim, m.device, m.body],
]

const insertAll = prepared((db, p: GivenRows & { keyId: number; storedAt: number; firstId: number }, dialect) =>
  db
    .insertInto('sms_message')
    .columns([
      ...(['account_id', 'key_id', 'stored_at', 'id', 'deduplication_key', 'received_at', 'size'] as const),
      ...(['sender', 'receiver', 'sim', 'device', 'body'] as const),
    ])
    .expression(
      sql`select cast(${p.accountId} as bigint), cast(${p.keyId} as bigint), cast(${p.storedAt} as bigint),
        cast(${p.firstId} as bigint) + position, ${bytesItem(0, dialect)}, ${numberItem(2, dialect)}, ${numberItem(3, dialect)},
        ${item(4)}, ${item(5)}, ${item(6)}, ${item(7)}, ${item(8)} from ${given(p.rows, dialect)}`,
    ),
)

const touch = prepared((db, p: { id: number; now: number }) =>
  db.updateTable('sms_key').set({ last_used_at: p.now }).where('id', '=', p.id),
)

/** `changed`: the key has been revoked, or has another signing key, since it was looked up. */
export type Intake = 'stored' | 'repeat' | 'changed'

/** The positions of repeats among the messages. */
export type BatchIntake = readonly number[] | 'changed'

const minuteMs = 60_000

const needsTouch = (lastUsedAt: number | null, now: number): boolean =>
  lastUsedAt === null || Math.abs(now - lastUsedAt) >= minuteMs

interface Batch extends GivenRows {
  readonly keyId: number
  readonly sealed: Uint8Array | null
  readonly count: number
  readonly storedAt: number
  /** The most messages of the account; 0 for no limit. */
  readonly max: number
}

const storeMessages = unit(
  import.meta,
  'storeMessages',
  ({ accountId }: Batch) => inboxLockKey(accountId),
  async (tx, { accountId, keyId, sealed, rows, count, storedAt, max }: Batch): Promise<BatchIntake> => {
    const taken = await tx.one(takeIds, { accountId, count })
    // The account is being deleted.
    if (taken === undefined) return 'changed'
    const state = await tx.one(stateOf, { id: keyId })
    if (state === undefined || !isSame(state.sealed, sealed)) {
      tx.send(takeIds, { accountId, count: -count })
      return 'changed'
    }
    if (needsTouch(state.lastUsedAt, storedAt)) tx.send(touch, { id: keyId, now: storedAt })
    const repeats = (await tx.all(storedBefore, { accountId, rows })).map(({ position }) => position)
    if (repeats.length > 0) tx.send(takeIds, { accountId, count: -repeats.length })
    const fresh = repeats.length === 0 ? rows : withoutRows(rows, repeats)
    tx.send(insertAll, { accountId, keyId, storedAt, rows: fresh, firstId: taken.lastId - count + 1 })
    // Two for each one, so that an account with too many messages gets rid of them.
    if (max > 0) await removeOldest(tx, accountId, { ...taken, lastId: taken.lastId - repeats.length }, max, 2 * count)
    return repeats
  },
)

const isSame = (one: Uint8Array | null, other: Uint8Array | null): boolean =>
  one === null || other === null ? one === other : Buffer.compare(one, other) === 0

const withoutRows = (rows: string, positions: readonly number[]): string =>
  JSON.stringify((JSON.parse(rows) as unknown[]).filter((_, position) => !positions.includes(position)))

const useKey = unit(import.meta, 'useKey', async (tx, id: number, now: number) => {
  tx.send(touch, { id, now })
})

export type IntakeStore = ReturnType<typeof intakeStore>

/**
 * Stores what devices post. System store: the device knows the key.
 * @param max the setting; 0 for no limit
 */
export const intakeStore = (db: Database, max: number) => ({
  /** @param hash SHA-256 of the key @returns undefined for an unknown or revoked key */
  find: async (hash: Buffer): Promise<DeviceKey | undefined> => {
    const row = await db.one(byHash, { hash })
    if (row === undefined) return undefined
    const { limits, plan_limits, ...key } = row
    return { ...key, limits: toLimits({ limits, plan_limits }) }
  },

  /**
   * Stores messages, each once, and notes the use of the key to the minute. Removes the oldest messages beyond the maximum.
   * @param messages with different deduplication keys
   */
  store: ({ id: keyId, accountId, sealed, limits }: DeviceKey, messages: readonly NewMessage[]): Promise<BatchIntake> =>
    db.write(storeMessages, {
      accountId,
      keyId,
      sealed,
      max: limitOf({ limits }, 'sms_messages', max),
      rows: JSON.stringify(messages.map(toRow)),
      count: messages.length,
      storedAt: Date.now(),
    }),

  /** Notes the use of a key without a message. */
  async noteUse({ id, lastUsedAt }: DeviceKey, now: number): Promise<void> {
    if (needsTouch(lastUsedAt, now)) await db.write(useKey, id, now)
  },
})
