import { prepared } from '../src/db/prepared.js'
import { unit } from '../src/db/unit.js'

const save = prepared((db, p: { id: number }) =>
  db.insertInto('exchange_rates').values({ id: p.id, rates: '{}', fetched_at: 0 }),
)

/** The code under test imports this module by its URL; no test imports it directly. */
unit(import.meta, 'saveLate', async (tx, id: number) => tx.run(save, { id }))
