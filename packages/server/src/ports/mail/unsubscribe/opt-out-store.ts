import type { Database, Transaction } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import { recordEvent } from '../../../journal/event-store.js'
import type { Actor } from '../../../shared/actor.js'
import type { MailKind } from '../kinds.js'

/** No-op for an account that has been deleted. */
const add = prepared((db, p: { accountId: number; kind: MailKind }) =>
  db
    .insertInto('mail_opt_out')
    .columns(['account_id', 'kind'])
    .expression((from) =>
      from
        .selectFrom('account')
        .where('id', '=', p.accountId)
        .select((row) => ['id', row.val(p.kind).as('kind')]),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'kind']).doNothing()),
)

const removeWaiting = prepared((db, p: { accountId: number; kind: MailKind }) =>
  db.deleteFrom('mail_message').where('account_id', '=', p.accountId).where('kind', '=', p.kind),
)

const record = (tx: Transaction, accountId: number, kind: MailKind, enabled: boolean, actor: Actor): void => {
  const fields = { accountId, at: Date.now(), actor, before: { kind, enabled: !enabled }, after: { kind, enabled } }
  recordEvent(tx, { area: 'account', action: 'notices_change', object: '', ...fields })
}

const optOut = unit(import.meta, 'optOutOfMail', async (tx, accountId: number, kind: MailKind, actor: Actor) => {
  if ((await tx.run(add, { accountId, kind })) > 0) record(tx, accountId, kind, false, actor)
  tx.send(removeWaiting, { accountId, kind })
})

/** Served by the primary key. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('mail_opt_out').where('account_id', '=', p.accountId).select('kind'),
)

const remove = prepared((db, p: { accountId: number; kind: MailKind }) =>
  db.deleteFrom('mail_opt_out').where('account_id', '=', p.accountId).where('kind', '=', p.kind),
)

const optIn = unit(import.meta, 'optInToMail', async (tx, accountId: number, kind: MailKind, actor: Actor) => {
  if ((await tx.run(remove, { accountId, kind })) > 0) record(tx, accountId, kind, true, actor)
})

/** Switches them on again. */
export const optInTo = (db: Database, accountId: number, kind: MailKind, actor: Actor): Promise<void> =>
  db.write(optIn, accountId, kind, actor)

/** The kinds that an account has switched off. */
export const optOutsOf = async (db: Database, accountId: number): Promise<ReadonlySet<MailKind>> =>
  new Set((await db.all(ofAccount, { accountId })).map(({ kind }) => kind))

/** Switches off a kind of e-mails for an account, and removes those that wait. Repeating it changes nothing. */
export const optOutOf = (db: Database, accountId: number, kind: MailKind, actor: Actor): Promise<void> =>
  db.write(optOut, accountId, kind, actor)
