import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { cutPage, type Page, type PageKey } from '../storage/page.js'
import { fileColumns, toFile, type StoredFile } from './file.js'

/** Served by file_by_account (account_id, id), read backwards. */
const page = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('file')
    .where('account_id', '=', p.accountId)
    .where('id', '<', p.before)
    .select(fileColumns)
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Files of an account, newest first. */
export const fileList =
  (db: Database) =>
  async (account: Account, { limit, before }: PageKey): Promise<Page<StoredFile>> =>
    cutPage((await db.all(page, { accountId: account.id, before, rows: limit + 1 })).map(toFile), limit)
