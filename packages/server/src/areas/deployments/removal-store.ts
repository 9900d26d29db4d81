import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import type { Job } from '../../shared/job.js'
import { removeSubmissions } from './forms/removal-store.js'
import { removeRequestsOf } from './webhooks/retention-store.js'

/** How many entries are removed in one transaction: with 64 or 256 KiB each, more would delay other writes. */
const [submissionsBatch, requestsBatch] = [100, 25]

const add = prepared((db, p: { id: number }) => db.insertInto('deployment_deleted').values({ deployment_id: p.id }))

const next = prepared((db) =>
  db.selectFrom('deployment_deleted').select('deployment_id as id').orderBy('deployment_id').limit(1),
)

const remove = prepared((db, p: { id: number }) =>
  db.deleteFrom('deployment_deleted').where('deployment_id', '=', p.id),
)

const removeSomeEntries = unit(import.meta, 'removeSomeEntries', async (tx) => {
  const deleted = await tx.one(next, {})
  if (deleted === undefined) return false
  const submissions = await removeSubmissions(tx, deleted.id, submissionsBatch)
  const requests = await removeRequestsOf(tx, deleted.id, requestsBatch)
  if (submissions < submissionsBatch && requests < requestsBatch) tx.send(remove, deleted)
  return true
})

/** Notes in the transaction of the deletion that the entries of a deployment are to be removed. */
export const forgetLater = (tx: Transaction, id: number): void => {
  tx.send(add, { id })
}

/** Removes a part of the submissions and requests of deleted deployments, of all accounts. @returns whether more may be left */
export const removeDeletedPart = (db: Database): Promise<boolean> => db.write(removeSomeEntries)

/** Removes the submissions and requests of deleted deployments, a part at a time. System job: those of all accounts. */
export const removalJob = (db: Database): Job => ({
  name: 'deployments.deleted-entries',
  everyMs: 10_000,
  runsIn: 'one process',
  failureMessage: 'the submissions and requests of deleted deployments could not be removed',
  run: async (signal) => {
    while (!signal.aborted && (await removeDeletedPart(db)));
  },
})
