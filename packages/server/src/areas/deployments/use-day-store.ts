import { sql } from 'kysely'
import { isInNumbers } from '../../db/json-list.js'
import { oldDays, oldDaysJob } from '../../db/old-days-store.js'
import type { Database, Transaction } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { dayOf } from '../../shared/days.js'
import type { Job } from '../../shared/job.js'

/** Uses of deployments by day. System queries: the caller has locked the row of the deployment, whose uses it changes too. */

/** Adds to the row of the day. */
const add = prepared((db, p: { id: number; day: number; uses: number }) =>
  db
    .insertInto('deployment_use_day')
    .values({ deployment_id: p.id, day: p.day, uses: p.uses })
    .onConflict((conflict) =>
      conflict
        .columns(['deployment_id', 'day'])
        .doUpdateSet({ uses: sql<number>`deployment_use_day.uses + excluded.uses` }),
    ),
)

/** Counts a use on a day. @param at when it was counted, in milliseconds since the epoch */
export function countOnDay(tx: Transaction, id: number, at: number): void {
  tx.send(add, { id, day: dayOf(at), uses: 1 })
}

const remove = prepared((db, p: { ids: string }, dialect) =>
  db.deleteFrom('deployment_use_day').where(isInNumbers('deployment_id', p.ids, dialect)),
)

/** Removes all days of deployments, before the deployments. */
export function removeDays(tx: Transaction, ids: readonly number[]): void {
  tx.send(remove, { ids: JSON.stringify(ids) })
}

const removeOld = oldDays('deployment_use_day', 'deployment_id')

const removeOldUses = unit(import.meta, 'removeOldUses', (tx, before: number) => removeOld(tx, before))

/** Removes the days that no history shows. */
export const useRetentionJob = (db: Database): Job =>
  oldDaysJob(db, removeOldUses, {
    name: 'deployments.old-uses',
    failureMessage: 'old counts of the uses of deployments could not be removed',
  })
