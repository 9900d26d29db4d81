import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { inboxLockKey } from '../keys/inbox-store.js'
import { digest, isKey } from '../keys/key.js'
import { removeUpTo } from './removal-store.js'

/** The key that a device has posted to. */
export interface DeviceKey {
  readonly id: number
  readonly accountId: number
  readonly lastUsedAt: number | null
  /** SHA-256 of its value. */
  readonly hash: Uint8Array
  /** The signing key, encrypted; null if the device does not sign. */
  readonly sealed: Uint8Array | null
}

/** A message to be stored. */
export interface NewMessage {
  readonly accountId: number
  readonly keyId: number
  readonly storedAt: number
  readonly receivedAt: number
  /** 16 bytes that are equal for repeats of one message. */
  readonly identity: Uint8Array
  /** Another identity of the same message, for one without the time of the device; otherwise the same. */
  readonly earlierIdentity: Uint8Array
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
    .where('hash', '=', p.hash)
    .select(['id', 'account_id as accountId', 'last_used_at as lastUsedAt', 'hash', 'sealed']),
)

/** Locks the inbox until the transaction ends, so the next statement sees a revocation that has been answered. */
const takeId = prepared((db, p: { accountId: number }) =>
  db
    .updateTable('sms_inbox')
    .set((row) => ({ last_id: row('last_id', '+', 1) }))
    .where('account_id', '=', p.accountId)
    .returning(['last_id as lastId', 'removed_id as removedId']),
)

const releaseId = prepared((db, p: { accountId: number }) =>
  db
    .updateTable('sms_inbox')
    .set((row) => ({ last_id: row('last_id', '-', 1) }))
    .where('account_id', '=', p.accountId),
)

/** Inserts nothing for a revoked key or a repeat. Served by the primary key of sms_key and by sms_message_once. */
const insert = prepared((db, p: NewMessage & { id: number }) =>
  db
    .insertInto('sms_message')
    .columns([
      'account_id',
      'id',
      'key_id',
      'stored_at',
      'received_at',
      'identity',
      'size',
      'sender',
      'receiver',
      'sim',
      'device',
      'body',
    ])
    .expression((from) =>
      from
        .selectFrom('sms_key')
        .where('sms_key.id', '=', p.keyId)
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('sms_message')
                .where('account_id', '=', p.accountId)
                .where('identity', '=', p.earlierIdentity)
                .select('id'),
            ),
          ),
        )
        .select([
          'sms_key.account_id',
          sql<number>`${p.id}`.as('message_id'),
          'sms_key.id',
          sql<number>`${p.storedAt}`.as('stored_at'),
          sql<number>`${p.receivedAt}`.as('received_at'),
          sql<Uint8Array>`${p.identity}`.as('identity'),
          sql<number>`${p.size}`.as('size'),
          sql<string>`${p.sender}`.as('sender'),
          sql<string | null>`${p.receiver}`.as('receiver'),
          sql<string | null>`${p.sim}`.as('sim'),
          sql<string | null>`${p.device}`.as('device'),
          sql<string>`${p.body}`.as('body'),
        ]),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'identity']).doNothing()),
)

const keyOf = prepared((db, p: { id: number }) => db.selectFrom('sms_key').where('id', '=', p.id).select('id'))

const touch = prepared((db, p: { id: number; now: number }) =>
  db.updateTable('sms_key').set({ last_used_at: p.now }).where('id', '=', p.id),
)

/** `revoked`: the key has been revoked since it was looked up. */
export type Intake = 'stored' | 'repeat' | 'revoked'

const minuteMs = 60_000

/** @param max the most messages of the account; 0 for no limit */
const storeMessage = unit(
  import.meta,
  'storeMessage',
  ({ accountId }: NewMessage) => inboxLockKey(accountId),
  async (tx, message: NewMessage, lastUsedAt: number | null, max: number): Promise<Intake> => {
    const { accountId, keyId, storedAt } = message
    const { lastId, removedId } = await tx.only(takeId, { accountId })
    const stored = await tx.run(insert, { ...message, id: lastId })
    if (stored === 0) await tx.run(releaseId, { accountId })
    if (stored === 0 && (await tx.one(keyOf, { id: keyId })) === undefined) return 'revoked'
    if (lastUsedAt === null || storedAt - lastUsedAt >= minuteMs) await tx.run(touch, { id: keyId, now: storedAt })
    if (stored === 0) return 'repeat'
    // Two at a time, so that an account with too many messages gets rid of them.
    if (max > 0 && lastId - removedId > max) await removeUpTo(tx, accountId, Math.min(removedId + 2, lastId - max))
    return 'stored'
  },
)

const useKey = unit(import.meta, 'useKey', async (tx, id: number, now: number) => {
  await tx.run(touch, { id, now })
})

export type IntakeStore = ReturnType<typeof intakeStore>

/**
 * Stores what devices post. System store: the device knows the key.
 * @param max the most messages of an account; 0 for no limit
 */
export const intakeStore = (db: Database, max: number) => ({
  /** @returns undefined for an unknown or revoked key */
  find: async (key: string): Promise<DeviceKey | undefined> =>
    isKey(key) ? db.one(byHash, { hash: digest(key) }) : undefined,

  /** Stores a message once, and notes the use of the key to the minute. Removes the oldest messages beyond the maximum. */
  store: (message: NewMessage, { lastUsedAt }: DeviceKey): Promise<Intake> =>
    db.write(storeMessage, message, lastUsedAt, max),

  /** Notes the use of a key without a message. */
  async use({ id, lastUsedAt }: DeviceKey, now: number): Promise<void> {
    if (lastUsedAt === null || now - lastUsedAt >= minuteMs) await db.write(useKey, id, now)
  },
})
