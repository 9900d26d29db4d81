import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
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

const optOut = unit(import.meta, 'optOutOfMail', async (tx, accountId: number, kind: MailKind) => {
  tx.send(add, { accountId, kind })
  tx.send(removeWaiting, { accountId, kind })
})

/** Served by the primary key. */
const ofAccount = prepared((db, p: { accountId: number }) =>
  db.selectFrom('mail_opt_out').where('account_id', '=', p.accountId).select('kind'),
)

const remove = prepared((db, p: { accountId: number; kind: MailKind }) =>
  db.deleteFrom('mail_opt_out').where('account_id', '=', p.accountId).where('kind', '=', p.kind),
)

const optIn = unit(import.meta, 'optInToMail', async (tx, accountId: number, kind: MailKind) => {
  tx.send(remove, { accountId, kind })
})

/** Switches them on again. */
export const optInTo = (db: Database, accountId: number, kind: MailKind): Promise<void> =>
  db.write(optIn, accountId, kind)

/** The kinds that an account has switched off. */
export const optOutsOf = async (db: Database, accountId: number): Promise<ReadonlySet<MailKind>> =>
  new Set((await db.all(ofAccount, { accountId })).map(({ kind }) => kind))

/** Switches off a kind of e-mails for an account, and removes those that wait. Repeating it changes nothing. */
export const optOutOf = (db: Database, accountId: number, kind: MailKind): Promise<void> =>
  db.write(optOut, accountId, kind)
