import type { Database, Transaction } from '../../../db/port.js'
import { sql } from 'kysely'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { isUrgent, mailKinds, type MailKind } from '../kinds.js'
import type { MailContent } from '../template.js'

/** An event that an account is told about by e-mail. */
export interface QueuedMail {
  readonly accountId: number
  readonly kind: MailKind
  /** Within the kind, such as the id of the form: events of a topic share an e-mail. */
  readonly topic: string
  /** JSON of `MailContent`. */
  readonly content: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** How many e-mails of an account wait at a time. Further ones are not sent, except urgent ones. */
export const waitingMax = 50

/** Of the content in characters, so that an account cannot fill the outbox. */
const contentMaxLength = 16_000

/** @throws RangeError for a content that is too long: callers cut what strangers have written */
export function queuedMail(event: Omit<QueuedMail, 'content' | 'now'> & { content: MailContent }): QueuedMail {
  const content = JSON.stringify(event.content)
  if (content.length > contentMaxLength) throw new RangeError('The content of an e-mail is too long.')
  return { ...event, content, now: Date.now() }
}

/** Served by the primary keys, and by mail_message_by_topic. Undefined for an account that gets no e-mail of the kind. */
const recipient = prepared((db, p: { accountId: number; kind: MailKind; max: number }) =>
  db
    .selectFrom('account')
    .where('account.id', '=', p.accountId)
    .where('account.state', '=', sql.lit('active'))
    .where((from) =>
      from.not(
        from.exists(
          from
            .selectFrom('mail_opt_out')
            .where('mail_opt_out.account_id', '=', p.accountId)
            .where('mail_opt_out.kind', '=', p.kind)
            .select('mail_opt_out.kind'),
        ),
      ),
    )
    .select('account.email')
    .select((from) =>
      from
        .selectFrom(
          from
            .selectFrom('mail_message')
            .where('mail_message.account_id', '=', p.accountId)
            .where('mail_message.due_at', 'is not', null)
            .select('mail_message.id')
            .limit(p.max)
            .as('some'),
        )
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('waiting'),
    ),
)

interface Upsert extends QueuedMail {
  readonly recipient: string
  readonly giveUpAt: number
}

/** A waiting e-mail keeps its time and gets the newer content; a topic that waits for nothing gets a time. */
const upsert = prepared((db, p: Upsert) =>
  db
    .insertInto('mail_message')
    .values({
      account_id: p.accountId,
      kind: p.kind,
      topic: p.topic,
      recipient: p.recipient,
      content: p.content,
      events: 1,
      created_at: p.now,
      due_at: p.now,
      not_before: p.now,
      give_up_at: p.giveUpAt,
      attempts: 0,
      error: null,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'kind', 'topic']).doUpdateSet((eb) => {
        const isIdle = eb('mail_message.due_at', 'is', null)
        const ifIdle = (fresh: 'now' | 'giveUpAt', kept: 'created_at' | 'give_up_at') =>
          eb
            .case()
            .when(isIdle)
            .then(p[fresh])
            .else(eb.ref(`mail_message.${kept}`))
            .end()
        return {
          recipient: p.recipient,
          content: p.content,
          events: eb('mail_message.events', '+', 1),
          created_at: ifIdle('now', 'created_at'),
          give_up_at: ifIdle('giveUpAt', 'give_up_at'),
          attempts: eb.case().when(isIdle).then(0).else(eb.ref('mail_message.attempts')).end(),
          due_at: eb
            .case()
            .when('mail_message.due_at', 'is not', null)
            .then(eb.ref('mail_message.due_at'))
            .when('mail_message.not_before', '>', p.now)
            .then(eb.ref('mail_message.not_before'))
            .else(p.now)
            .end(),
        }
      }),
    ),
)

/** What became of an event: `off` if the account gets no e-mails of the kind. */
type QueueOutcome = 'added' | 'off' | 'dropped'

/**
 * Adds an event to the outbox, in the transaction of its cause: if that fails, no e-mail is sent.
 * @returns `dropped` if too many e-mails of the account wait: tell `MailOutbox.noteDropped`
 */
export async function queueMail(tx: Transaction, mail: QueuedMail): Promise<QueueOutcome> {
  const { accountId, kind, now } = mail
  const { intervalMs, keptMs } = mailKinds[kind]
  const found = await tx.one(recipient, { accountId, kind, max: waitingMax })
  if (found === undefined) return 'off'
  if ((found.waiting ?? 0) >= waitingMax && !isUrgent(kind)) return 'dropped'
  tx.send(upsert, { ...mail, recipient: found.email, giveUpAt: now + intervalMs + keptMs })
  return 'added'
}

const queueAlone = unit(import.meta, 'queueMail', async (tx, mail: QueuedMail) => queueMail(tx, mail))

/** Adds an event that has no other change in the database. */
export const queueMailAlone = (db: Database, mail: QueuedMail): Promise<QueueOutcome> => db.write(queueAlone, mail)
