import { isOwnBefore } from '../../../db/account-page.js'
import type { Database, Reader, Transaction } from '../../../db/port.js'
import { isServed } from '../../../db/served-accounts.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { requireOwner } from '../../../shared/require-owner.js'
import { turns } from '../../../shared/turns.js'
import { cutPage, type Page, type PageKey } from '../../../shared/page.js'
import { fileColumns, isShareKey, toFile, type FileRow, type StoredFile } from './file.js'
import type { ListedFile } from './presenter.js'

const byId = prepared((db, p: { id: number }) => db.selectFrom('file').where('id', '=', p.id).select(fileColumns))

/** Locked until the transaction ends. SQLite has one writer at a time and no row locks. */
const lockedById = prepared((db, p: { id: number }, dialect) =>
  db
    .selectFrom('file')
    .where('id', '=', p.id)
    .select(fileColumns)
    .$if(dialect === 'postgres', (query) => query.forUpdate()),
)

/** One file, for its owner only. @throws ApiError `not_found`; `forbidden` for a file of another account */
export const requireOwnFile = async (reader: Reader, accountId: number, id: number): Promise<StoredFile> =>
  own(accountId, id, await reader.one(byId, { id }))

/** The same, locked until the transaction ends. The caller has locked what the account uses (`usage-store.ts`). */
export const lockOwnFile = async (tx: Transaction, accountId: number, id: number): Promise<StoredFile> =>
  own(accountId, id, await tx.one(lockedById, { id }))

function own(accountId: number, id: number, row: FileRow | undefined): StoredFile {
  requireOwner(row, accountId, 'file', id)
  return toFile(row)
}

/** The columns that lists show, by the names of `ListedFile`. */
export const listedColumns = [
  ...(['id', 'name', 'size', 'sha256', 'media_type as mediaType', 'share_key as shareKey'] as const),
  ...(['created_at as createdAt', 'updated_at as updatedAt'] as const),
] as const

/** Served by file_by_account (account_id, id), read backwards. */
const page = prepared((db, p: { accountId: number; before: number; rows: number }, dialect) =>
  db
    .selectFrom('file')
    .where(isOwnBefore('file', p, dialect))
    .select(listedColumns)
    .orderBy('account_id', 'desc')
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Files of an account, newest first. One page in each turn of the event loop: a page of 1,000 files takes milliseconds. */
export function fileList(db: Database) {
  const oneEachTurn = turns()
  return ({ id }: Account, { limit, before }: PageKey): Promise<Page<ListedFile>> =>
    oneEachTurn(async () => cutPage(await db.all(page, { accountId: id, before, rows: limit + 1 }), limit))
}

/** Served by the unique index on share_key. */
const byKey = prepared((db, p: { key: string }) =>
  db.selectFrom('file').where('share_key', '=', p.key).where(isServed('file.account_id')).select(fileColumns),
)

/** The file of a share link, read at each request. Its key authorises the request, so there is no account. */
export const sharedFile =
  (db: Database) =>
  async (key: string): Promise<StoredFile | undefined> => {
    // Other texts are not keys. PostgreSQL would refuse some of them, such as a NUL, with an error.
    const row = isShareKey(key) ? await db.one(byKey, { key }) : undefined
    return row && toFile(row)
  }

/** The file and the version that a share link serves. */
export interface ServedLink {
  readonly fileId: number
  readonly version: number
}

const servedByKey = prepared((db, p: { key: string }) =>
  db
    .selectFrom('file')
    .where('share_key', '=', p.key)
    .where('serving', '=', 1)
    .where(isServed('file.account_id'))
    .select(['id as fileId', 'edge_version as version']),
)

/** Reads which file and version a share link serves. Undefined for an unknown link, and for a file that is not served. */
export const servedLink =
  (db: Database) =>
  (key: string): Promise<ServedLink | undefined> =>
    db.one(servedByKey, { key })
