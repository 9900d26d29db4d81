import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { accountStore } from '../areas/account/accounts/store.js'
import { describeDatabase, type Config } from '../config/config.js'
import type { Database } from '../db/port.js'
import { OperatorError } from '../shared/operator-error.js'
import { hasObjects, OtherOwner, takeOwnership } from '../ports/blobs/ownership.js'
import { StorageError, type Blobs } from '../ports/blobs/port.js'
import { describeBlobs } from '../ports/blobs/select.js'

/** How long the start waits for the blob store: without it, the nameserver and most of the API work. */
const answerMs = 5_000

type Settings = Pick<Config, 'database' | 'blobs'>

/** What the store says about its owner; undefined if it does not answer. */
type Answer = { readonly owner: string | undefined } | undefined

/** Asks the store for its owner, before a database is opened. */
export const askForOwner = (blobs: Blobs, log: Logger): Promise<Answer> =>
  unlessUnreachable(async () => ({ owner: await blobs.readMark('owner') }), log)

/** Refuses to make a new installation beside the store of another one. @throws OperatorError */
export function refuseNew(answer: Answer, settings: Settings): void {
  if (answer?.owner === undefined) return
  throw new OperatorError(
    `${theStore(settings)} belongs to the installation ${answer.owner} of svc, but there is no database ${describeDatabase(settings.database)} yet: ${remedy}`,
  )
}

/**
 * Makes sure that the store belongs to the installation of the database. A store without an owner, from an earlier version, gets one. A
 * store that does not answer is left to the first upload, which makes the same check.
 * @throws OperatorError if the store belongs to another installation
 */
export async function takeOwnStore(
  answer: Answer,
  { database, blobs }: { readonly database: Database; readonly blobs: Blobs },
  settings: Settings,
  log: Logger,
): Promise<void> {
  if (answer === undefined) return
  try {
    await unlessUnreachable(async () => {
      if (answer.owner === undefined) await refuseUnowned(database, blobs, settings)
      await takeOwnership(database, blobs)
    }, log)
  } catch (error) {
    if (!(error instanceof OtherOwner)) throw error
    throw new OperatorError(
      `${theStore(settings)} belongs to the installation ${error.owner} of svc, and the database ${describeDatabase(settings.database)} is that of another one: ${remedy}`,
      1,
      { cause: error },
    )
  }
}

const remedy =
  'set SVC_DATABASE (or SVC_DATA) to the database of that installation, or SVC_BLOBS to an empty place for a new one.'

const theStore = ({ blobs }: Settings): string => `The store of files ${describeBlobs(blobs)}`

/** A store of an earlier version may have no owner. Its objects belong to a database that has accounts. */
async function refuseUnowned(database: Database, blobs: Blobs, settings: Settings): Promise<void> {
  if ((await accountStore(database).hasAny()) || !(await hasObjects(blobs))) return
  throw new OperatorError(
    `${theStore(settings)} has files, but the database ${describeDatabase(settings.database)} has no accounts: ${remedy}`,
  )
}

async function unlessUnreachable<R>(work: () => Promise<R>, log: Logger): Promise<R | undefined> {
  const waiting = new AbortController()
  const late = sleep(answerMs, undefined, { signal: waiting.signal }).then(() => {
    throw new StorageError('The blob store does not answer.')
  })
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    if (!(error instanceof StorageError) || error instanceof OtherOwner) throw error
    log.warn({ err: error }, 'the owner of the blob store is not known yet: the first upload checks it')
    return undefined
  } finally {
    waiting.abort()
  }
}
