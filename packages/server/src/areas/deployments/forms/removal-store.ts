import type { Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'

/** Served by the primary key. */
const removeOldest = prepared((db, p: { deploymentId: number; rows: number }) =>
  db
    .deleteFrom('form_submission')
    .where('deployment_id', '=', p.deploymentId)
    .where('id', 'in', (from) =>
      from
        .selectFrom('form_submission')
        .where('deployment_id', '=', p.deploymentId)
        .select('id')
        .orderBy('id')
        .limit(p.rows),
    ),
)

/** Removes the oldest submissions of a form. System query: the form has been deleted. @returns how many it removed */
export const removeSubmissions = (tx: Transaction, deploymentId: number, rows: number): Promise<number> =>
  tx.run(removeOldest, { deploymentId, rows })
