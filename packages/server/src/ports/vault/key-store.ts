import { sql } from 'kysely'
import type { Database, Reader, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { recordOperatorEvent } from '../../journal/event-store.js'
import { OperatorError } from '../../shared/operator-error.js'

/** Which master key is current, and the rotation that is under way. */
export interface KeyState {
  readonly currentId: string
  /** Undefined unless a rotation is under way. */
  readonly handover: Handover | undefined
}

/** Both keys of a rotation. A process that has either of them can open the other one. */
export interface Handover {
  readonly oldId: string
  readonly newId: string
  /** The new key, wrapped with the old one. */
  readonly newKey: Uint8Array
  /** The old key, wrapped with the new one. */
  readonly oldKey: Uint8Array
}

const rowId = 1

/** Served by the primary keys; one row in each table. */
const stateRow = prepared((db, _: object) =>
  db
    .selectFrom('master_key as current')
    .leftJoin('master_key_handover as handover', (join) => join.onTrue())
    .select([
      'current.key_id as currentId',
      'handover.old_key_id as oldId',
      'handover.new_key_id as newId',
      'handover.new_key as newKey',
      'handover.old_key as oldKey',
    ]),
)

/** `for share`: a rotation that changes the current key waits until the transaction ends. SQLite has one writer at a time. */
const current = prepared((db, p: { keyId: string }, dialect) =>
  db
    .selectFrom('master_key')
    .where('key_id', '=', p.keyId)
    .select('id')
    .$if(dialect === 'postgres', (query) => query.forShare()),
)

const insertCurrent = prepared((db, p: { keyId: string }) =>
  db
    .insertInto('master_key')
    .values({ id: rowId, key_id: p.keyId })
    .onConflict((conflict) => conflict.column('id').doNothing()),
)

const changeCurrent = prepared((db, p: { oldId: string; newId: string }) =>
  db.updateTable('master_key').set({ key_id: p.newId }).where('key_id', '=', p.oldId),
)

const insertHandover = prepared((db, p: { oldId: string; newId: string; newKey: Buffer; oldKey: Buffer }) =>
  db
    .insertInto('master_key_handover')
    .values({ id: rowId, old_key_id: p.oldId, new_key_id: p.newId, new_key: p.newKey, old_key: p.oldKey }),
)

/** PostgreSQL keeps the bytes of a deleted row in its file until a vacuum; `truncate` begins a new file. */
const removeHandover = prepared((db, _: object, dialect) =>
  dialect === 'postgres'
    ? { compile: () => sql<never>`truncate master_key_handover`.compile(db) }
    : db.deleteFrom('master_key_handover'),
)

/**
 * Whether a key is the current master key, until the transaction ends. Each unit that stores a sealed text calls it: after a
 * rotation, no row with the old key can be committed.
 */
export const isCurrentKey = async (tx: Transaction, keyId: string): Promise<boolean> =>
  (await tx.one(current, { keyId })) !== undefined

const beginWithKey = unit(import.meta, 'beginWithKey', async (tx, keyId: string) => {
  await tx.run(insertCurrent, { keyId })
  return readState(tx)
})

const beginHandover = unit(import.meta, 'beginHandover', async (tx, { oldId, newId, newKey, oldKey }: Handover) => {
  // A structured clone turns a Buffer into a Uint8Array.
  await tx.run(insertHandover, { oldId, newId, newKey: Buffer.from(newKey), oldKey: Buffer.from(oldKey) })
})

const makeCurrent = unit(import.meta, 'makeCurrent', async (tx, { oldId, newId }: Handover) => {
  await tx.run(changeCurrent, { oldId, newId })
  recordOperatorEvent(tx, { at: Date.now(), command: 'svc key rotate', object: newId, accountId: null })
})

const endHandover = unit(import.meta, 'endHandover', async (tx) => {
  await tx.run(removeHandover, {})
})

async function readState(reader: Reader): Promise<KeyState | undefined> {
  const row = await reader.one(stateRow, {})
  if (row === undefined) return undefined
  const { currentId, oldId, newId, newKey, oldKey } = row
  if (oldId === null || newId === null || newKey === null || oldKey === null) return { currentId, handover: undefined }
  return { currentId, handover: { oldId, newId, newKey, oldKey } }
}

export type KeyStore = ReturnType<typeof keyStore>

/** The state of the master key in the database, which never has the key itself. System store. */
export const keyStore = (db: Database) => ({
  /** @returns undefined before the first start */
  state: (): Promise<KeyState | undefined> => readState(db),

  /** Makes a key the current one, unless there is a current one already. @returns the state after it */
  async begin(keyId: string): Promise<KeyState> {
    const state = await db.write(beginWithKey, keyId)
    if (state === undefined) throw new Error('The table master_key has no row after its insert.')
    return state
  },

  beginHandover: (handover: Handover): Promise<void> => db.write(beginHandover, handover),
  /** From here on, no text is stored under the old key. */
  makeCurrent: (handover: Handover): Promise<void> => db.write(makeCurrent, handover),

  /**
   * After it, the old key opens nothing in the files of the database. The caller holds the lock of rotations.
   * @throws OperatorError if the hand-over has ended, and the write-ahead log could not be erased
   */
  async endHandover(): Promise<void> {
    await db.write(endHandover)
    try {
      await db.eraseLog()
    } catch (cause) {
      throw new OperatorError(
        'The rotation has ended, but the write-ahead log of the database still has keys that the old key opens, because another process reads the database. When that has ended, stop all servers: the last one removes the log.',
        1,
        { cause },
      )
    }
  },
})
