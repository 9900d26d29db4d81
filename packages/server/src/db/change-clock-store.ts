import type { Reader, Transaction } from './port.js'
import { prepared } from './prepared.js'

/** Counts the changes of one kind of rows, which processes keep in memory (`shared/followed-cache.ts`). System store. */
export type ChangeClock = 'deployments' | 'sites'

const advanceClock = prepared((db, p: { name: string }) =>
  db
    .insertInto('change_clock')
    .values({ name: p.name, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((row) => ({ value: row('change_clock.value', '+', 1) })),
    ),
)

/** Served by the primary key. */
const clock = prepared((db, p: { name: string }) =>
  db.selectFrom('change_clock').where('name', '=', p.name).select('value'),
)

/**
 * Counts a change in its own transaction. The last call of a unit: on PostgreSQL, the other units that count changes of this kind
 * wait until the transaction ends.
 */
export async function noteChange(tx: Transaction, name: ChangeClock): Promise<void> {
  await tx.run(advanceClock, { name })
}

/** How many changes have been committed. */
export const countChanges = async (reader: Reader, name: ChangeClock): Promise<number> =>
  (await reader.one(clock, { name }))?.value ?? 0
