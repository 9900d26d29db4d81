import type { Generated } from 'kysely'
import { id, oneOf } from '../../db/columns.js'
import { ofAccount, ofInstallation, type AreaTables, type RowRule } from '../../db/table-declaration.js'
import { optionalKinds, type MailKind } from './kinds.js'

declare module '../../db/tables.js' {
  interface Tables {
    mail_message: MailMessageTable
    mail_opt_out: MailOptOutTable
    mail_key: MailKeyTable
  }
}

/** What an account is told about one topic: one e-mail that waits, or that has been sent in the last hour. */
interface MailMessageTable {
  id: Generated<number>
  account_id: number
  kind: MailKind
  /** Within the kind, such as the form. Unique with account and kind. */
  topic: string
  /** The address of the account when the last event was added. */
  recipient: string
  /** JSON of `MailContent`, about the last event. Without secrets: a one-time link is made when the e-mail is sent. */
  content: string
  /** How many events the next e-mail is about; 0 if none waits. */
  events: number
  /** When the first of them was added. */
  created_at: number
  /** When the next attempt begins, or the lease of the process that sends it ends; null if no e-mail waits. */
  due_at: number | null
  /** The next e-mail of the topic is not sent before. */
  not_before: number
  /** No attempt begins after it. */
  give_up_at: number
  attempts: number
  /** Why the last attempt failed; null after a success. */
  error: string | null
}

/** A kind of e-mail that an account has switched off. */
interface MailOptOutTable {
  account_id: number
  kind: MailKind
}

/** The key of the links that switch off e-mails; one row. */
interface MailKeyTable {
  id: number
  secret: Buffer
}

const optOut: RowRule<'mail_opt_out'> = { columns: { account_id: id, kind: oneOf(optionalKinds) } }

export const mailTables = {
  tables: {
    mail_message: { ...ofAccount, hasGeneratedId: true, leftOut: 'the installation with the mail server sends them' },
    mail_opt_out: { ...ofAccount, key: ['account_id', 'kind'], rule: optOut },
    mail_key: ofInstallation('of the links in e-mails of the installation'),
  },
} satisfies AreaTables
