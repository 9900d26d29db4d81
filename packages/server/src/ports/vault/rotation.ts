import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/port.js'
import { OperatorError } from '../../shared/operator-error.js'
import type { Job } from '../../shared/job.js'
import { MasterKey } from '../../shared/master-key.js'
import { keysFrom, readConfiguredKey, requireCurrentKey, type VaultConfig } from './configured-key.js'
import { rewrapHead } from './envelope.js'
import { createKeyFile, readKeyFile, removeAbandonedKeys, replaceKeyFile } from './key-file.js'
import { keyStore, type Handover, type KeyState } from './key-store.js'

/** The lock that excludes two rotations at the same time; the name of the job that ends one. */
export const rotationLock = 'vault.rotate'

/** A row whose data key is wrapped with another master key than the current one. */
export interface StaleRow {
  readonly id: number
  /** The first `headBytes` of the encrypted text; empty if it is shorter. */
  readonly head: Uint8Array
}

/** A row with its head before and after. */
export interface RewrappedRow {
  readonly id: number
  readonly from: Uint8Array
  readonly to: Uint8Array
}

/** The rows of all areas with secrets. */
export interface SealedRows {
  /** The names of their tables. */
  readonly tables: readonly string[]

  /** The rows after an id that do not have the key, in the order of their ids. */
  stale(table: string, masterKeyId: string, after: number, rows: number): Promise<readonly StaleRow[]>

  /** @returns how many rows were changed: without those that were stored again or deleted in the meantime */
  rewrap(table: string, masterKeyId: string, rows: readonly RewrappedRow[]): Promise<number>
}

export interface RotationDependencies {
  readonly db: Database
  readonly secrets: SealedRows
  readonly config: VaultConfig
  /** How long the servers have to notice the new key before texts are encrypted with it. */
  readonly followMs: number
  /** Shows the new key to the operator, who has no other copy. Not called for a key in a file. */
  readonly showKey: (key: string) => Promise<void>
  /** Called with a sentence after each step. */
  readonly note: (done: string) => void
}

export interface RotationResult {
  readonly oldId: string
  readonly newId: string
  /** The number of rows that have the new key, by this call. */
  readonly rewrapped: number
  /** Rows that were damaged before, and that no key opens. */
  readonly damaged: readonly { readonly table: string; readonly id: number }[]
  /**
   * Whether the old key opens nothing any more. False for a new key that was only printed: the old key opens the new one until a
   * process shows with its setting that the operator has it.
   */
  readonly hasEnded: boolean
}

/** Few enough for a short transaction: with texts of 64 KiB, it writes six megabytes. */
const batchRows = 100

/**
 * Replaces the master key while servers run. The steps are kept in the database and in the key file, so a call continues the
 * rotation that an earlier one has begun. The caller holds `rotationLock`.
 * @throws OperatorError if the configured key is missing or not the key of the database
 */
export async function rotateMasterKey({ config: given, ...rest }: RotationDependencies): Promise<RotationResult> {
  const config = await resolveLinks(given)
  const parts = { ...rest, config }
  const { db, secrets, note, followMs } = parts
  const store = keyStore(db)
  const state = await store.state()
  if (state === undefined)
    throw new OperatorError('The database has no master key yet: the first start of the server makes it.')
  const own = await readConfiguredKey(config, state)
  const { oldKey, newKey } = await rotationKeys(config, own, state)
  const hasOldKey = own.id === oldKey.id
  if (hasOldKey) await keepNewKey(parts, oldKey, newKey)
  const handover = handoverOf(oldKey, newKey)
  if (state.handover === undefined) await store.beginHandover(handover)
  note(`Handed the master key ${newKey.id} over to the servers.`)
  if (state.currentId === oldKey.id) {
    await sleep(followMs)
    await store.makeCurrent(handover)
  }
  note(`New secrets are encrypted with the master key ${newKey.id}.`)
  const result = await rewrapAll(secrets, oldKey, newKey)
  note(`Rewrapped the data keys of ${result.rewrapped} ${result.rewrapped === 1 ? 'secret' : 'secrets'}.`)
  if (config.kind === 'file' && hasOldKey) {
    await replaceKeyFile(config.file, newFileOf(config.file))
    note(`Replaced ${config.file}.`)
  }
  const hasEnded = config.kind === 'file' || !hasOldKey
  if (hasEnded) await store.endHandover()
  return { oldId: oldKey.id, newId: newKey.id, ...result, hasEnded }
}

/**
 * Ends a rotation on a server that has started with the new key: only now it is certain that the operator has the printed key.
 * @param own the configured key at the start
 */
export const rotationEnd = (db: Database, own: MasterKey, secrets: SealedRows): Job => ({
  name: rotationLock,
  everyMs: 2_000,
  runsIn: 'one process',
  failureMessage: 'the rotation of the master key could not be ended: it is tried again',
  run: async () => {
    const store = keyStore(db)
    const state = await store.state()
    const oldKey =
      state?.handover?.newId === own.id ? keysFrom(own, state.handover).get(state.handover.oldId) : undefined
    if (oldKey === undefined || state?.currentId !== own.id) return
    // The command may have been killed before its end.
    await rewrapAll(secrets, oldKey, own)
    await store.endHandover()
  },
})

/** A key file may be a symbolic link: its target is replaced, so that the old key does not stay there. */
async function resolveLinks(config: VaultConfig): Promise<VaultConfig> {
  if (config.kind === 'setting') return config
  // A missing file is reported with its configured name.
  const file = await realpath(config.file).catch(() => config.file)
  await removeAbandonedKeys(newFileOf(file))
  return { kind: 'file', file }
}

/** The file of the new key until the rotation ends. */
const newFileOf = (file: string): string => `${file}.new`

interface RotationKeys {
  readonly oldKey: MasterKey
  readonly newKey: MasterKey
}

/** The keys of the rotation that is under way, or of a new one. */
async function rotationKeys(config: VaultConfig, own: MasterKey, state: KeyState): Promise<RotationKeys> {
  const { handover } = state
  const keys = keysFrom(own, handover)
  const oldKey = requireCurrentKey(keys, own, state, config)
  if (handover === undefined) return { oldKey, newKey: await nextKey(config) }
  const [before, after] = [keys.get(handover.oldId), keys.get(handover.newId)]
  if (!before || !after)
    throw new OperatorError(
      `The table master_key_handover is damaged: it names other keys than the current one, ${oldKey.id}. Restore the database from a backup.`,
    )
  return { oldKey: before, newKey: after }
}

/** A random key; that of the file if an interrupted rotation has left one. */
const nextKey = async (config: VaultConfig): Promise<MasterKey> =>
  (config.kind === 'file' ? await readKeyFile(newFileOf(config.file)) : undefined) ?? MasterKey.random()

/** Before any change in the database: a key that encrypts secrets must not be lost. */
async function keepNewKey({ config, showKey, note }: RotationDependencies, oldKey: MasterKey, newKey: MasterKey) {
  if (config.kind === 'setting') return showKey(newKey.format())
  const file = newFileOf(config.file)
  await createKeyFile(file, newKey, config.file)
  const kept = await readKeyFile(file)
  if (kept?.id === oldKey.id)
    throw new OperatorError(
      `${file} contains the old master key ${oldKey.id}: delete it, and run svc key rotate again.`,
    )
  if (kept?.id !== newKey.id)
    throw new OperatorError(
      `${file} must contain the new master key ${newKey.id}, not ${kept?.id ?? 'no key'}: move it away.`,
    )
  note(`Wrote the new master key ${newKey.id} to ${file}.`)
}

const handoverOf = (oldKey: MasterKey, newKey: MasterKey): Handover => ({
  oldId: oldKey.id,
  newId: newKey.id,
  newKey: newKey.wrapWith(oldKey),
  oldKey: oldKey.wrapWith(newKey),
})

async function rewrapAll(
  secrets: SealedRows,
  from: MasterKey,
  to: MasterKey,
): Promise<Pick<RotationResult, 'rewrapped' | 'damaged'>> {
  const damaged: RotationResult['damaged'][number][] = []
  let rewrapped = 0
  for (const table of secrets.tables)
    for (let after = 0, count = batchRows; count === batchRows;) {
      const rows = await secrets.stale(table, to.id, after, batchRows)
      const heads = rows.map(({ id, head }) => ({ id, from: head, to: rewrapHead(head, from, to) }))
      damaged.push(...heads.flatMap((row) => (row.to === undefined ? [{ table, id: row.id }] : [])))
      rewrapped += await secrets.rewrap(
        table,
        to.id,
        heads.flatMap((row) => (row.to === undefined ? [] : [{ ...row, to: row.to }])),
      )
      after = rows.at(-1)?.id ?? 0
      count = rows.length
    }
  return { rewrapped, damaged }
}
