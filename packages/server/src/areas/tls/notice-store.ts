import { sql } from 'kysely'
import type { Database } from '../../db/port.js'
import { prepared } from '../../db/prepared.js'
import { unit } from '../../db/unit.js'
import { addNotices, noticeTimes, type NoticeTimes } from '../../ports/mail/outbox/notices.js'

const dayMs = 86_400_000

const add = prepared((db, p: NoticeTimes & { before: number }) =>
  addNotices(
    db,
    'certificate-failure',
    p,
    sql`select account_id, cast(id as text) as topic from certificate
      where account_id is not null and wanted = 1 and failing_since < ${p.before}`,
  ),
)

const addCertificateNotices = unit(import.meta, 'addCertificateNotices', async (tx, now: number) => {
  tx.send(add, { ...noticeTimes('certificate-failure', now), before: now - dayMs })
})

/** Served by the primary key. */
const failing = prepared((db, p: { accountId: number; id: number }) =>
  db
    .selectFrom('certificate')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .where('failing_since', 'is not', null)
    .select(['names', 'error', 'failing_since as since', 'not_after as notAfter']),
)

/** Certificates whose orders have failed for a day. System store: `add` is about those of all accounts. */
export const certificateNoticeStore = (db: Database) => ({
  /** Adds the e-mails that are due, at most one a week about a certificate. */
  add: (now: number): Promise<void> => db.write(addCertificateNotices, now),

  /** @returns undefined for a certificate that has been ordered or deleted meanwhile */
  failing: (accountId: number, id: number) => db.one(failing, { accountId, id }),
})
