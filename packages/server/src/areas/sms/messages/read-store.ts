import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Account } from '../../../shared/account.js'
import { readLongRows, type Page, type PageKey } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'
import { keptCount } from '../inbox-store.js'

/** A stored message. */
export interface Message {
  readonly id: number
  readonly sender: string
  readonly receiver: string | null
  readonly body: string
  readonly sim: string | null
  readonly device: string | null
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly keyId: number
}

/** Of the texts of one page: its rows are read on the event loop. 1,000 usual messages have less. */
const pageMaxBytes = 512 * 1024

/** Served by the primary key, read backwards. The sizes precede the long texts. */
const sizes = prepared((db, p: { accountId: number; before: number; rows: number }) =>
  db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where('id', '<', p.before)
    .select(['id', 'size'])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Served by the primary key. */
const between = prepared((db, p: { accountId: number; first: number; last: number }) =>
  db
    .selectFrom('sms_message')
    .where('account_id', '=', p.accountId)
    .where('id', '>=', p.first)
    .where('id', '<=', p.last)
    .select(['id', 'sender', 'receiver', 'body', 'sim', 'device', 'received_at as receivedAt', 'key_id as keyId'])
    .orderBy('id', 'desc'),
)

/** Served by the primary key. */
const counters = prepared((db, p: { accountId: number }) =>
  db
    .selectFrom('sms_inbox')
    .where('account_id', '=', p.accountId)
    .select(['last_id as lastId', 'removed_id as removedId', 'deleted']),
)

export type MessageStore = ReturnType<typeof messageStore>

/** The messages of an account. */
export function messageStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /** Newest first. A page has fewer messages than asked for if they are long. @returns also the number of all messages */
    page: ({ id: accountId }: Account, key: PageKey): Promise<Page<Message> & { readonly total: number }> =>
      oneEachTurn(async () => {
        const inbox = await db.one(counters, { accountId })
        const page = await readLongRows(key, pageMaxBytes, {
          sizes: (before, rows) => db.all(sizes, { accountId, before, rows }),
          between: (first, last) => db.all(between, { accountId, first, last }),
        })
        return { ...page, total: inbox === undefined ? 0 : keptCount(inbox) }
      }),
  }
}
