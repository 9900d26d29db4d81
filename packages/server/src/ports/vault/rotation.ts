import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/port.js'
import { OperatorError } from '../../operator-error.js'
import { rewrapHead } from './envelope.js'
import { createKeyFile, readKeyFile, replaceKeyFile } from './key-file.js'
import { keyStore, type Handover, type KeyState } from './key-store.js'
import { MasterKey } from '../../shared/master-key.js'
import { keysFrom, ownKey, requireCurrentKey, type VaultConfig } from './own-key.js'
import { rewrapStore, type RewrapStore } from './rewrap-store.js'
import { sealedTables, type SealedTable } from './sealed-tables.js'

interface RotationParts {
  readonly db: Database
  readonly config: VaultConfig
  /** How long the servers have to notice the new key before texts are encrypted with it. */
  readonly followMs: number
  /** Shows the new key to the operator, who has it nowhere else. Not called for a key in a file. */
  readonly showKey: (key: string) => Promise<void>
  /** Called with a sentence after each step. */
  readonly note: (done: string) => void
}

export interface Rotated {
  readonly oldId: string
  readonly newId: string
  /** The number of rows that have the new key, by this call. */
  readonly rewrapped: number
  /** Rows that were damaged before, and that no key opens. */
  readonly damaged: readonly { readonly table: SealedTable; readonly id: number }[]
}

/** Few enough for a short transaction: with texts of 64 KiB, it writes six megabytes. */
const batchRows = 100

/**
 * Replaces the master key while servers run. The steps are kept in the database and in the key file, so a call continues the
 * rotation that an earlier one has begun. The caller holds a lock that excludes other rotations.
 * @throws OperatorError if the configured key is missing or not the key of the database
 */
export async function rotateMasterKey(parts: RotationParts): Promise<Rotated> {
  const { db, config, note, followMs } = parts
  const store = keyStore(db)
  const state = await store.state()
  if (state === undefined)
    throw new OperatorError('The database has no master key yet: the first start of the server makes it.')
  const own = await ownKey(config, state)
  const { oldKey, newKey } = await keyPair(config, own, state)
  if (own.id === oldKey.id) await keepNewKey(parts, oldKey, newKey)
  const handover = handoverOf(oldKey, newKey)
  if (state.handover === undefined) await store.beginHandover(handover)
  note(`Handed the master key ${newKey.id} over to the servers.`)
  if (state.currentId === oldKey.id) {
    await sleep(followMs)
    await store.makeCurrent(handover)
  }
  note(`New secrets are encrypted with the master key ${newKey.id}.`)
  const result = await rewrapAll(rewrapStore(db), oldKey, newKey)
  note(`Rewrapped the data keys of ${result.rewrapped} ${result.rewrapped === 1 ? 'secret' : 'secrets'}.`)
  if (config.kind === 'file' && own.id === oldKey.id) {
    await replaceKeyFile(config.file, newFileOf(config.file))
    note(`Replaced ${config.file}.`)
  }
  await store.endHandover(handover)
  return { oldId: oldKey.id, newId: newKey.id, ...result }
}

/** The file of the new key until the rotation ends. */
const newFileOf = (file: string): string => `${file}.new`

interface KeyPair {
  readonly oldKey: MasterKey
  readonly newKey: MasterKey
}

/** The keys of the rotation that is under way, or of a new one. */
async function keyPair(config: VaultConfig, own: MasterKey, state: KeyState): Promise<KeyPair> {
  const { handover } = state
  const keys = keysFrom(own, handover)
  const oldKey = requireCurrentKey(keys, own, state, config)
  if (handover === undefined) return { oldKey, newKey: await nextKey(config) }
  const [before, after] = [keys.get(handover.oldId), keys.get(handover.newId)]
  if (!before || !after) throw new Error('The hand-over of the master key names another key than the current one.')
  return { oldKey: before, newKey: after }
}

/** A random key; that of the file if an interrupted rotation has left one. */
const nextKey = async (config: VaultConfig): Promise<MasterKey> =>
  (config.kind === 'file' ? await readKeyFile(newFileOf(config.file)) : undefined) ?? MasterKey.random()

/** Before any change in the database: a key that encrypts secrets must not be lost. */
async function keepNewKey({ config, showKey, note }: RotationParts, oldKey: MasterKey, newKey: MasterKey) {
  if (config.kind === 'setting') return showKey(newKey.format())
  const file = newFileOf(config.file)
  await createKeyFile(file, newKey, config.file)
  const kept = await readKeyFile(file)
  if (kept?.id !== newKey.id || newKey.id === oldKey.id)
    throw new OperatorError(
      `${file} has the master key ${kept?.id ?? 'of no rotation'}, which is not the new key of this rotation, ${newKey.id}: move it away.`,
    )
  note(`Wrote the new master key ${newKey.id} to ${file}.`)
}

const handoverOf = (oldKey: MasterKey, newKey: MasterKey): Handover => ({
  ...{ oldId: oldKey.id, newId: newKey.id },
  ...{ newKey: newKey.wrapWith(oldKey), oldKey: oldKey.wrapWith(newKey) },
})

async function rewrapAll(
  store: RewrapStore,
  from: MasterKey,
  to: MasterKey,
): Promise<Pick<Rotated, 'rewrapped' | 'damaged'>> {
  const damaged: Rotated['damaged'][number][] = []
  let rewrapped = 0
  for (const table of sealedTables)
    for (let after = 0, count = batchRows; count === batchRows;) {
      const rows = await store.stale(table, to.id, after, batchRows)
      const heads = rows.map(({ id, head }) => ({ id, from: head, to: rewrapHead(head, from, to) }))
      damaged.push(...heads.flatMap((row) => (row.to === undefined ? [{ table, id: row.id }] : [])))
      rewrapped += await store.rewrap(
        table,
        to.id,
        heads.flatMap((row) => (row.to === undefined ? [] : [{ ...row, to: row.to }])),
      )
      after = rows.at(-1)?.id ?? 0
      count = rows.length
    }
  return { rewrapped, damaged }
}
