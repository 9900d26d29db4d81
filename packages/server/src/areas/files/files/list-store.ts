import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { turns } from '../../../shared/turns.js'
import { cutPage, type Page, type PageKey } from '../storage/page.js'
import type { ShownFile } from './json.js'

/** Only the columns that are shown, by the names of `ShownFile`. Served by file_by_account (account_id, id), read backwards. */
const page = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('file')
    .where('account_id', '=', p.accountId)
    .where('id', '<', p.before)
    .select(['id', 'name', 'size', 'sha256'])
    .select(['media_type as mediaType', 'share_key as shareKey', 'created_at as createdAt', 'updated_at as updatedAt'])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Files of an account, newest first. One page in each turn of the event loop: a page of 1,000 files takes milliseconds. */
export function fileList(db: Database) {
  const oneEachTurn = turns()
  return ({ id }: Account, { limit, before }: PageKey): Promise<Page<ShownFile>> =>
    oneEachTurn(async () => cutPage(await db.all(page, { accountId: id, before, rows: limit + 1 }), limit))
}
