import { isInNumbers } from '../../../db/json-list.js'
import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'

/** A purge that the edge has to confirm, because it may have copies of a file from before a change. */
export interface Purge {
  readonly fileId: number
  /** Copies of earlier versions must not be served. */
  readonly version: number
}

const add = prepared((db, p: Purge) =>
  db
    .insertInto('edge_purge')
    .values({ file_id: p.fileId, version: p.version })
    .onConflict((conflict) => conflict.column('file_id').doUpdateSet({ version: p.version })),
)

const next = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom('edge_purge')
    .where('file_id', '>', p.after)
    .select(['file_id as fileId', 'version'])
    .orderBy('file_id')
    .limit(p.limit),
)

/** Locked until the transaction ends. */
const locked = prepared((db, p: { fileIds: string }, dialect) =>
  db
    .selectFrom('edge_purge')
    .where(isInNumbers('file_id', p.fileIds, dialect))
    .select(['file_id as fileId', 'version'])
    .orderBy('file_id')
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

const remove = prepared((db, p: { fileIds: string }, dialect) =>
  db.deleteFrom('edge_purge').where(isInNumbers('file_id', p.fileIds, dialect)),
)

const idsOf = (purges: readonly Purge[]): string => JSON.stringify(purges.map(({ fileId }) => fileId))

const confirmPurges = unit(import.meta, 'confirmPurges', async (tx, purges: readonly Purge[]) => {
  const confirmed = new Map(purges.map(({ fileId, version }) => [fileId, version]))
  const rows = await tx.all(locked, { fileIds: idsOf(purges) })
  // A file that has changed again needs another purge.
  const done = rows.filter(({ fileId, version }) => version <= (confirmed.get(fileId) ?? 0))
  if (done.length > 0) tx.send(remove, { fileIds: idsOf(done) })
})

/**
 * Remembers a purge in the transaction of the change, so that neither a crash nor an unreachable cache can lose it. The caller
 * has locked what the account uses (`usage-store.ts`).
 */
export const rememberPurge = (tx: Transaction, purge: Purge): void => {
  tx.send(add, purge)
}

export type PurgeStore = ReturnType<typeof purgeStore>

/** Purges that the edge has not confirmed. System store: it has those of all accounts. */
export const purgeStore = (db: Database) => ({
  /** At most `limit` purges of files with a higher id than `after`, by id. */
  unconfirmed: (after: number, limit: number): Promise<Purge[]> => db.all(next, { after, limit }),

  /** Forgets confirmed purges, except those of files that have changed again. */
  confirm: (purges: readonly Purge[]): Promise<void> => db.write(confirmPurges, purges),
})
