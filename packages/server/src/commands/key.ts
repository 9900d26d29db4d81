import type { Config } from '../config/config.js'
import { sealedRowsStore } from '../app/sealed-rows-store.js'
import { LockTimeout } from '../db/keyed-mutex.js'
import { OperatorError } from '../shared/operator-error.js'
import { followEveryMs } from '../ports/vault/keyring.js'
import {
  rotateMasterKey,
  rotationLock,
  type RotationDependencies,
  type RotationResult,
} from '../ports/vault/rotation.js'
import { withExistingDatabase } from './with-database.js'

/** How long a second rotation waits for the first one to end. */
const lockWaitMs = 1_000

/** The servers look for a new key more often. One that is suspended for longer looks for it when it meets the key. */
const followMs = 4 * followEveryMs

/**
 * `svc key rotate`: replaces the master key. Continues a rotation that was interrupted.
 * @throws OperatorError if another rotation is running, or the configured key is not that of the database
 */
export const rotateKey = (
  config: Pick<Config, 'database' | 'vault'>,
  { showKey, note }: Pick<RotationDependencies, 'showKey' | 'note'>,
): Promise<RotationResult> =>
  withExistingDatabase(config.database, async (db) => {
    const rotate = () =>
      rotateMasterKey({ db, secrets: sealedRowsStore(db), config: config.vault, followMs, showKey, note })
    return db.withJobLock(rotationLock, rotate, lockWaitMs).catch((error: unknown) => {
      if (!(error instanceof LockTimeout) || error.cause !== undefined) throw error
      throw new OperatorError('Another svc key rotate is running on this database: wait until it has ended.')
    })
  })
