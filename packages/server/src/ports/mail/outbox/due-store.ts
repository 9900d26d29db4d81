import { sql } from 'kysely'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { mailKinds, type MailKind } from '../kinds.js'

/** An e-mail that a process has taken. */
export interface DueMail {
  readonly id: number
  readonly accountId: number
  readonly kind: MailKind
  readonly topic: string
  readonly recipient: string
  readonly content: string
  /** How many events it is about. */
  readonly events: number
  readonly createdAt: number
  readonly giveUpAt: number
  /** With this one. */
  readonly attempts: number
  /** The end of the lease. Its outcome is saved only while it is the one in the row. */
  readonly leasedUntil: number
}

/** Served by mail_message_due (due_at). On PostgreSQL it is locked until the transaction ends, and those of other processes are left out. */
const oldestDue = prepared((db, p: { now: number; max: number }, dialect) =>
  db
    .selectFrom('mail_message')
    .where('due_at', '<=', p.now)
    .select([
      'id',
      'account_id',
      'kind',
      'topic',
      'recipient',
      'content',
      'events',
      'created_at',
      'give_up_at',
      'attempts',
    ])
    .orderBy('due_at')
    .limit(p.max)
    .$if(dialect === 'postgres', (query) => query.forUpdate().skipLocked()),
)

/** Served by mail_message_due. */
const anyDue = prepared((db, p: { now: number }) =>
  db.selectFrom('mail_message').where('due_at', '<=', p.now).select('id').orderBy('due_at').limit(1),
)

const lease = prepared((db, p: { id: number; until: number }) =>
  db
    .updateTable('mail_message')
    .set({ due_at: p.until, attempts: sql<number>`attempts + 1` })
    .where('id', '=', p.id),
)

const claimMails = unit(
  import.meta,
  'claimMails',
  async (tx, max: number, now: number, until: number): Promise<DueMail[]> => {
    const rows = await tx.all(oldestDue, { now, max })
    for (const { id } of rows) tx.send(lease, { id, until })
    return rows.map(({ account_id: accountId, created_at: createdAt, give_up_at: giveUpAt, attempts, ...mail }) => ({
      ...mail,
      accountId,
      createdAt,
      giveUpAt,
      attempts: attempts + 1,
      leasedUntil: until,
    }))
  },
)

interface Ended {
  readonly id: number
  readonly leasedUntil: number
  readonly events: number
  readonly now: number
  /** When the next e-mail of the topic may be sent. */
  readonly notBefore: number
  readonly giveUpAt: number
  readonly error: string | null
}

/** Events that came during the attempt wait for the next e-mail. */
const end = prepared((db, p: Ended) =>
  db
    .updateTable('mail_message')
    .set((row) => ({
      events: row('events', '-', p.events),
      due_at: row
        .case()
        .when('events', '>', p.events)
        .then(sql<number>`cast(${p.notBefore} as bigint)`)
        .else(null)
        .end(),
      created_at: p.now,
      not_before: p.notBefore,
      give_up_at: p.giveUpAt,
      attempts: 0,
      error: p.error,
    }))
    .where('id', '=', p.id)
    .where('due_at', '=', p.leasedUntil),
)

const endMail = unit(import.meta, 'endMail', async (tx, ended: Ended) => {
  tx.send(end, ended)
})

interface Repeated {
  readonly id: number
  readonly leasedUntil: number
  readonly dueAt: number
  /** How many attempts count so far. */
  readonly attempts: number
  readonly error: string | null
}

const repeat = prepared((db, p: Repeated) =>
  db
    .updateTable('mail_message')
    .set({ due_at: p.dueAt, attempts: p.attempts, error: p.error })
    .where('id', '=', p.id)
    .where('due_at', '=', p.leasedUntil),
)

const repeatMail = unit(import.meta, 'repeatMail', async (tx, repeated: Repeated) => {
  tx.send(repeat, repeated)
})

/** How many waiting e-mails are counted. */
export const countedMax = 100_000

/** Served by mail_message_due. */
const waiting = prepared((db, p: { max: number }) =>
  db
    .selectFrom((from) => from.selectFrom('mail_message').where('due_at', '>', 0).select('id').limit(p.max).as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count')),
)

/** The oldest of them. Served by mail_message_due; an attempt that failed is due again within hours. */
const late = prepared((db, p: { before: number; until: number; max: number }) =>
  db
    .selectFrom('mail_message')
    .where('due_at', '<=', p.until)
    .where('created_at', '<', p.before)
    .select(['recipient', 'kind', 'created_at as createdAt', 'error'])
    .orderBy('due_at')
    .limit(p.max),
)

const removedAtOnce = 1_000

/** Topics that may be sent again at once need no row. Served by mail_message_idle. */
const removeIdle = prepared((db, p: { now: number }) =>
  db
    .deleteFrom('mail_message')
    .where('id', 'in', (from) =>
      from
        .selectFrom('mail_message')
        .where('due_at', 'is', null)
        .where('not_before', '<', p.now)
        .select('id')
        .orderBy('not_before')
        .limit(removedAtOnce),
    ),
)

/** Those that no process sends, because the mail server has been taken out of the settings. Served by mail_message_due. */
const removeOverdue = prepared((db, p: { before: number }) =>
  db
    .deleteFrom('mail_message')
    .where('id', 'in', (from) =>
      from
        .selectFrom('mail_message')
        .where('due_at', '<', p.before)
        .select('id')
        .orderBy('due_at')
        .limit(removedAtOnce),
    ),
)

const removeOldMails = unit(import.meta, 'removeOldMails', async (tx, now: number, overdue: number) => {
  tx.send(removeIdle, { now })
  tx.send(removeOverdue, { before: overdue })
})

/** No e-mail is repeated for so long. */
const overdueMs = 3 * 86_400_000

export type DueStore = ReturnType<typeof dueStore>

/** E-mails that are due. System store: those of all accounts. */
export const dueStore = (db: Database) => ({
  /** Takes those that have waited longest. Without a due one, nothing is written. */
  claim: async (max: number, now: number, leaseMs: number): Promise<DueMail[]> =>
    (await db.one(anyDue, { now })) === undefined ? [] : db.write(claimMails, max, now, now + leaseMs),

  /** Sent, or given up. @param error why it was given up; null after a success */
  end: ({ id, leasedUntil, events, kind }: DueMail, now: number, error: string | null): Promise<void> => {
    const { intervalMs, keptMs } = mailKinds[kind]
    const notBefore = now + intervalMs
    return db.write(endMail, { id, leasedUntil, events, now, notBefore, giveUpAt: notBefore + keptMs, error })
  },

  /** @param attempts those that count */
  repeat: ({ id, leasedUntil }: DueMail, dueAt: number, attempts: number, error: string | null): Promise<void> =>
    db.write(repeatMail, { id, leasedUntil, dueAt, attempts, error }),

  /** How many wait, up to `countedMax`. */
  countWaiting: async (): Promise<number> => (await db.one(waiting, { max: countedMax }))?.count ?? 0,

  /** The first that have waited since before a time. */
  late: (before: number, max: number) => db.all(late, { before, until: Date.now() + overdueMs, max }),

  removeOld: (now: number): Promise<void> => db.write(removeOldMails, now, now - overdueMs),
})
