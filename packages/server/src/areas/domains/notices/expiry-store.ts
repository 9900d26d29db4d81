import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { addNotices, noticeTimes, type NoticeTimes } from '../../../ports/mail/outbox/notices.js'

const dayMs = 86_400_000

/** The days before the end on which an account gets an e-mail, each with the next one. */
const thresholds = [
  { days: 30, next: 7 },
  { days: 7, next: 1 },
  { days: 1, next: 0 },
] as const

/** Of each account, the days on which domains expire: one e-mail is about all domains of a day. Served by domain_by_end (expires_at). */
const add = prepared((db, p: NoticeTimes & { days: number; after: number; until: number }) =>
  addNotices(
    db,
    'domain-expiry',
    p,
    sql`select distinct account_id, cast(cast(${p.days} as integer) as text) || ' ' || cast(expires_at / ${sql.lit(dayMs)} as text) as topic
      from domain where expires_at > ${p.after} and expires_at <= ${p.until}`,
  ),
)

const addExpiryNotices = unit(import.meta, 'addExpiryNotices', async (tx, now: number) => {
  const times = noticeTimes('domain-expiry', now)
  for (const { days, next } of thresholds)
    tx.send(add, { ...times, days, after: now + next * dayMs, until: now + days * dayMs })
})

/** Served by domain_by_expiry. */
const expiring = prepared((db, p: { accountId: number; from: number; until: number; max: number }) =>
  db
    .selectFrom('domain')
    .where('account_id', '=', p.accountId)
    .where(sql<boolean>`coalesce(expires_at, 9007199254740991) >= ${p.from}`)
    .where(sql<boolean>`coalesce(expires_at, 9007199254740991) < ${p.until}`)
    .select(['name', 'registrar'])
    .orderBy('name')
    .limit(p.max),
)

/** Domains that expire soon. System store: `add` is about those of all accounts. */
export const expiryNoticeStore = (db: Database) => ({
  /** Adds the e-mails that are due, each once. */
  add: (now: number): Promise<void> => db.write(addExpiryNotices, now),

  /** Those of a day, as a number of days since the epoch; the first by name. */
  expiring: (accountId: number, day: number, max: number) =>
    db.all(expiring, { accountId, from: day * dayMs, until: (day + 1) * dayMs, max }),
})
