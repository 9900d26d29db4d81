import { countChanges, noteChange } from '../src/db/change-clock-store.js'
import { unit } from '../src/db/unit.js'

/** Units that count changes, and change nothing else. */

export const noteSite = unit(import.meta, 'noteSite', async (tx) => {
  noteChange(tx, 'sites')
})

export const noteDeployment = unit(import.meta, 'noteDeployment', async (tx) => {
  noteChange(tx, 'deployments')
})

export const noteAndFail = unit(import.meta, 'noteAndFail', async (tx) => {
  noteChange(tx, 'sites')
  await countChanges(tx, 'sites')
  throw new Error('The unit fails after its change.')
})

/** Has counted its change, and commits when the promise resolves. Only on PostgreSQL, where units run in this process. */
export const noteAndWait = unit(import.meta, 'noteAndWait', async (tx, release: Promise<unknown>) => {
  noteChange(tx, 'sites')
  // A read sends it.
  await countChanges(tx, 'sites')
  await release
})
