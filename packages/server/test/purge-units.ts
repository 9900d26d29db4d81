import { rememberPurge } from '../src/areas/files/sharing/purge-store.js'
import { unit } from '../src/db/unit.js'

/** What the changes of many files leave, if the edge confirms no purge. */
export const rememberPurges = unit(import.meta, 'rememberPurges', async (tx, firstId: number, count: number) => {
  for (let i = 0; i < count; i++) rememberPurge(tx, { fileId: firstId + i, version: 2 })
})
