import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/** The table has one row. */
const id = 1

// Primary key.
const lastRow = prepared((db) => db.selectFrom('rdap_bootstrap').select(['fetched_at', 'data']).where('id', '=', id))

const replaceRow = prepared((db, p: { fetchedAt: number; data: string }) =>
  db
    .insertInto('rdap_bootstrap')
    .values({ id, fetched_at: p.fetchedAt, data: p.data })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((to) => ({ fetched_at: to.ref('excluded.fetched_at'), data: to.ref('excluded.data') })),
    ),
)

const saveBootstrap = unit(
  import.meta,
  'saveBootstrap',
  async (tx: Transaction, fetchedAt: number, data: string): Promise<void> => {
    tx.send(replaceRow, { fetchedAt, data })
  },
)

/** The last list of RDAP servers from IANA, shared by all processes. */
export const bootstrapStore = (db: Database) => ({
  last: async (): Promise<{ readonly fetchedAt: number; readonly data: string } | undefined> => {
    const row = await db.one(lastRow, {})
    return row && { fetchedAt: row.fetched_at, data: row.data }
  },

  save: (fetchedAt: number, data: string): Promise<void> => db.write(saveBootstrap, fetchedAt, data),
})

export type BootstrapStore = ReturnType<typeof bootstrapStore>
