import { OperatorError } from '../../shared/operator-error.js'
import { MasterKey } from '../../shared/master-key.js'
import { createKeyFile, readKeyFile } from './key-file.js'
import type { Handover, KeyState } from './key-store.js'

/** Where the master key of this process is: in the setting `SVC_MASTER_KEY`, or in a file. */
export type VaultConfig =
  | { readonly kind: 'setting'; readonly key: MasterKey }
  | { readonly kind: 'file'; readonly file: string }

/**
 * The configured master key.
 * @param state undefined before the first start: then a missing file is created
 * @throws OperatorError if it is missing
 */
export async function readConfiguredKey(config: VaultConfig, state: KeyState | undefined): Promise<MasterKey> {
  if (config.kind === 'setting') return config.key
  const { file } = config
  const found = (await readKeyFile(file)) ?? (state === undefined ? await createAndReadKey(file) : undefined)
  if (found) return found
  throw new OperatorError(
    `The master key file ${file} is missing, and secrets in the database are encrypted with the master key ${state?.currentId ?? 'that it had'}: restore the file from its backup, or set SVC_MASTER_KEY to that key.`,
  )
}

/** Creates the file. Of two processes that start together, one creates it. */
async function createAndReadKey(file: string): Promise<MasterKey | undefined> {
  await createKeyFile(file, MasterKey.random())
  return readKeyFile(file)
}

/** The master keys that a process has, by their ids. */
export type KnownKeys = ReadonlyMap<string, MasterKey>

/** The key and, during a rotation, the other key of the rotation. @throws OperatorError if the hand-over is damaged */
export function keysFrom(own: MasterKey, handover: Handover | undefined): KnownKeys {
  const keys = [own]
  if (handover?.oldId === own.id) keys.push(unwrapKey(handover.newId, handover.newKey, own))
  if (handover?.newId === own.id) keys.push(unwrapKey(handover.oldId, handover.oldKey, own))
  return new Map(keys.map((key) => [key.id, key]))
}

/** Opens the other key of a hand-over with the own one. */
function unwrapKey(id: string, wrapped: Uint8Array, own: MasterKey): MasterKey {
  let key: MasterKey | undefined
  let cause: unknown
  try {
    key = own.unwrapMasterKey(wrapped)
  } catch (error) {
    cause = error
  }
  if (key?.id === id) return key
  throw new OperatorError(
    `The table master_key_handover is damaged: the master key ${own.id} does not open the key ${id} in it. Restore the database from a backup.`,
    1,
    { cause },
  )
}

/** The current key. @throws OperatorError if the configured key is another one */
export function requireCurrentKey(keys: KnownKeys, own: MasterKey, state: KeyState, config: VaultConfig): MasterKey {
  const current = keys.get(state.currentId)
  if (current) return current
  const where = config.kind === 'setting' ? 'SVC_MASTER_KEY' : config.file
  throw new OperatorError(
    `The master key in ${where} is ${own.id}, but secrets in the database are encrypted with the master key ${state.currentId}: restore the file of that key from its backup, or set SVC_MASTER_KEY to it.`,
  )
}

/**
 * Checks the configured key against the database. Changes nothing.
 * @param state undefined before the first start
 * @returns one sentence for each problem
 */
export async function keyProblems(config: VaultConfig, state: KeyState | undefined): Promise<string[]> {
  if (state === undefined) return []
  try {
    const own = await readConfiguredKey(config, state)
    requireCurrentKey(keysFrom(own, state.handover), own, state, config)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [error.message]
  }
  return state.handover === undefined ? [] : [unfinished(config, state.handover)]
}

const unfinished = (config: VaultConfig, { newId }: Handover): string =>
  config.kind === 'file'
    ? `The rotation to the master key ${newId} has not ended: if no svc key rotate is running, run it again.`
    : `The rotation to the master key ${newId} has not ended: set SVC_MASTER_KEY to the new key, and restart the servers. If you do not have the new key, run svc key rotate with the old one: it prints the new key again.`
