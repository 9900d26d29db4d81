import { OperatorError } from '../../operator-error.js'
import { createKeyFile, readKeyFile } from './key-file.js'
import type { Handover, KeyState } from './key-store.js'
import { MasterKey } from '../../shared/master-key.js'

/** Where the master key of this process is: in the setting `SVC_MASTER_KEY`, or in a file. */
export type VaultConfig =
  { readonly kind: 'setting'; readonly key: MasterKey } | { readonly kind: 'file'; readonly file: string }

/**
 * The configured master key.
 * @param state undefined before the first start: then a missing file is created
 * @throws OperatorError if it is missing
 */
export async function ownKey(config: VaultConfig, state: KeyState | undefined): Promise<MasterKey> {
  if (config.kind === 'setting') return config.key
  const { file } = config
  const found = (await readKeyFile(file)) ?? (state === undefined ? await createdKey(file) : undefined)
  if (found) return found
  throw new OperatorError(
    `The master key file ${file} is missing, and secrets in the database are encrypted with the master key ${state?.currentId ?? 'that it had'}: put the file back from its backup, or set SVC_MASTER_KEY to that key.`,
  )
}

/** Creates the file. Of two processes that start together, one creates it. */
async function createdKey(file: string): Promise<MasterKey | undefined> {
  await createKeyFile(file, MasterKey.random())
  return readKeyFile(file)
}

/** The master keys that a process has, by their ids. */
export type KnownKeys = ReadonlyMap<string, MasterKey>

/** The key and, during a rotation, the other key of the rotation. @throws Error if the hand-over is damaged */
export function keysFrom(own: MasterKey, handover: Handover | undefined): KnownKeys {
  const keys = [own]
  if (handover?.oldId === own.id) keys.push(own.unwrapMasterKey(handover.newKey))
  if (handover?.newId === own.id) keys.push(own.unwrapMasterKey(handover.oldKey))
  return new Map(keys.map((key) => [key.id, key]))
}

/** The current key. @throws OperatorError if the configured key is another one */
export function requireCurrentKey(keys: KnownKeys, own: MasterKey, state: KeyState, config: VaultConfig): MasterKey {
  const current = keys.get(state.currentId)
  if (current) return current
  const where = config.kind === 'setting' ? 'SVC_MASTER_KEY' : config.file
  throw new OperatorError(
    `The master key in ${where} is ${own.id}, but secrets in the database are encrypted with the master key ${state.currentId}: put the file of that key back from its backup, or set SVC_MASTER_KEY to it.`,
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
    const own = await ownKey(config, state)
    requireCurrentKey(keysFrom(own, state.handover), own, state, config)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [error.message]
  }
  return state.handover === undefined
    ? []
    : [
        `The rotation to the master key ${state.handover.newId} has not ended: if no svc key rotate is running, run it again.`,
      ]
}
