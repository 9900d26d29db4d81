import { sql } from 'kysely'
import { contains, searched, startsFirst, type Searched } from '../../../db/contains.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { foundOfKindMax, type Search } from '../../../shared/found.js'

/** The newest messages of an account whose senders are searched: an account may have any number. */
const searchedMax = 5_000

/** Served by the primary key (account_id, id), read backwards. */
const senders = prepared((db, p: Searched & { accountId: number; rows: number }, dialect) => {
  const newest = db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .select(['id', 'sender'])
    .orderBy('id', 'desc')
    .limit(sql.lit(searchedMax))
  return db
    .selectFrom(newest.as('newest'))
    .where(contains('sender', p, dialect))
    .select('sender')
    .groupBy('sender')
    .orderBy(startsFirst('sender', p, dialect))
    .orderBy((row) => row.fn.max('id'), 'desc')
    .limit(p.rows)
})

/** Finds senders of messages. Bodies are not read: they may have secrets, which a search would show to others who see the screen. */
export const senderSearch =
  (db: Database): Search =>
  async ({ id: accountId }, text) => {
    const rows = await db.all(senders, { accountId, ...searched(text), rows: foundOfKindMax })
    return rows.map(({ sender }) => ({ kind: 'sender', label: sender, detail: '', path: [sender] }))
  }
