import type { Reader, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { fileColumns, toFile, type FileRow, type StoredFile } from './file.js'

/** One file, for its owner only. */

const byId = prepared((db, p: { id: number }) => db.selectFrom('file').where('id', '=', p.id).select(fileColumns))

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedById = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('file')
    .where('id', '=', p.id)
    .select(fileColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** @throws ApiError `not_found`; `forbidden` for a file of another account */
export const requireOwnFile = async (reader: Reader, accountId: number, id: number): Promise<StoredFile> =>
  own(accountId, id, await reader.one(byId, { id }))

/** The same, locked until the transaction ends. The caller has locked what the account uses (`use-store.ts`). */
export const lockOwnFile = async (tx: Transaction, accountId: number, id: number): Promise<StoredFile> =>
  own(accountId, id, await tx.one(lockedById, { id }))

function own(accountId: number, id: number, row: FileRow | undefined): StoredFile {
  requireOwner(row, accountId, 'file', id)
  return toFile(row)
}
