import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../../../db/tables.js'
import type { Job } from '../../../shared/job.js'
import { mailKinds, type MailKind } from '../kinds.js'
import type { Outbox } from './outbox.js'

/** Times of e-mails that a job adds, in milliseconds since the epoch. */
export interface NoticeTimes {
  readonly now: number
  readonly notBefore: number
  readonly giveUpAt: number
}

export const noticeTimes = (kind: MailKind, now: number): NoticeTimes => ({
  now,
  notBefore: now + mailKinds[kind].intervalMs,
  giveUpAt: now + mailKinds[kind].keptMs,
})

/** How many e-mails one run of a job adds. */
const addedAtOnce = 1_000

/**
 * A statement that adds an e-mail for each topic that has none of the kind, in the interval of the kind. Its content is made when it is
 * sent (`mails` of an area). Accounts that are suspended or have switched off the kind get none.
 * @param p parameters of the prepared query
 * @param found a query of `account_id` and `topic`, without duplicates
 */
export const addNotices = (db: Kysely<Tables>, kind: MailKind, p: NoticeTimes, found: RawBuilder<unknown>) =>
  db
    .insertInto('mail_message')
    .columns([
      ...(['account_id', 'kind', 'topic', 'recipient', 'content', 'events', 'attempts'] as const),
      ...(['created_at', 'due_at', 'not_before', 'give_up_at'] as const),
    ])
    .expression(
      db
        .selectFrom(sql<{ account_id: number; topic: string }>`(${found})`.as('found'))
        .innerJoin('account', 'account.id', 'found.account_id')
        .where('account.state', '=', sql.lit('active'))
        .where((from) =>
          from.not(
            from.exists(
              from
                .selectFrom('mail_opt_out')
                .whereRef('mail_opt_out.account_id', '=', 'found.account_id')
                .where('mail_opt_out.kind', '=', sql.lit(kind))
                .select('mail_opt_out.kind'),
            ),
          ),
        )
        .where((from) =>
          from.not(
            from.exists(
              from
                .selectFrom('mail_message as known')
                .whereRef('known.account_id', '=', 'found.account_id')
                .where('known.kind', '=', sql.lit(kind))
                .whereRef('known.topic', '=', 'found.topic')
                .select('known.id'),
            ),
          ),
        )
        .select([
          'found.account_id',
          sql.lit(kind).as('kind'),
          'found.topic',
          'account.email',
          sql.lit('{}').as('content'),
          sql.lit(1).as('events'),
          sql.lit(0).as('attempts'),
          sql<number>`cast(${p.now} as bigint)`.as('created_at'),
          sql<number>`cast(${p.now} as bigint)`.as('due_at'),
          sql<number>`cast(${p.notBefore} as bigint)`.as('not_before'),
          sql<number>`cast(${p.giveUpAt} as bigint)`.as('give_up_at'),
        ])
        .limit(addedAtOnce),
    )
    .onConflict((conflict) => conflict.doNothing())

interface NoticeJob {
  /** Of the job. */
  readonly name: string
  readonly failureMessage: string
  /** Adds what is due at a time in milliseconds since the epoch. */
  readonly add: (now: number) => Promise<void>
}

/** The job that adds e-mails once an hour; none without a mail server. */
export const noticeJobs = ({ isOn, wake }: Pick<Outbox, 'isOn' | 'wake'>, { add, ...job }: NoticeJob): readonly Job[] =>
  isOn
    ? [
        {
          ...job,
          everyMs: 3_600_000,
          runsIn: 'one process',
          run: async () => {
            await add(Date.now())
            wake()
          },
        },
      ]
    : []
