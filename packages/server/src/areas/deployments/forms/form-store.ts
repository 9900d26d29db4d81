import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { isServed } from '../../../db/served-accounts.js'
import { unit } from '../../../db/unit.js'
import { queueMail, type QueuedMail } from '../../../ports/mail/outbox/queue-store.js'
import { isSlug } from '../slug.js'
import { countUse } from '../use-count-store.js'

/** An enabled form. */
interface Form {
  readonly id: number
  readonly accountId: number
  /** JSON of its options. */
  readonly settings: string
}

/** A submission to be stored. */
interface NewSubmission {
  readonly formId: number
  readonly receivedAt: number
  readonly network: string
  readonly userAgent: string
  readonly subject: string | null
  /** Of `fields`, in bytes. */
  readonly size: number
  readonly fields: string
}

/** How many submissions a form keeps; the oldest are removed. */
const keptMax = 10_000

/** Served by the unique index deployment_at (kind, slug). */
const bySlug = prepared((db, p: { slug: string }) =>
  db
    .selectFrom('deployment')
    .where('kind', '=', 'form')
    .where('slug', '=', p.slug)
    .where('enabled', '=', 1)
    .where(isServed('deployment.account_id'))
    .select(['id', 'account_id as accountId', 'settings']),
)

/** Locks the form until the transaction ends. */
const addUse = prepared((db, p: { formId: number }) =>
  db
    .updateTable('deployment')
    .set((row) => ({ uses: row('uses', '+', 1), kept: row('kept', '+', 1) }))
    .where('id', '=', p.formId)
    .where('enabled', '=', 1)
    .returning('uses'),
)

const insert = prepared((db, p: NewSubmission & { id: number }) =>
  db
    .insertInto('form_submission')
    .values({
      deployment_id: p.formId,
      id: p.id,
      received_at: p.receivedAt,
      network: p.network,
      user_agent: p.userAgent,
      subject: p.subject,
      size: p.size,
      fields: p.fields,
    }),
)

/** Served by the primary key. */
const removeUpTo = prepared((db, p: { formId: number; last: number }) =>
  db.deleteFrom('form_submission').where('deployment_id', '=', p.formId).where('id', '<=', p.last),
)

/** Counts removed submissions. */
export const lowerKept = prepared((db, p: { formId: number; removed: number }) =>
  db
    .updateTable('deployment')
    .set((row) => ({ kept: row('kept', '-', p.removed) }))
    .where('id', '=', p.formId),
)

/** The lock key of units that change the row of one form (see `Unit.lockKey`). */
export const formLockKey = (formId: number): string => `form ${String(formId)}`

const submissionLockKey = ({ formId }: NewSubmission): string => formLockKey(formId)

const storeSubmission = unit(
  import.meta,
  'storeSubmission',
  submissionLockKey,
  async (tx, submission: NewSubmission, mail?: QueuedMail) => {
    const { formId } = submission
    const form = await tx.one(addUse, { formId })
    if (form === undefined) return false
    countUse(tx, formId, submission.receivedAt)
    tx.send(insert, { ...submission, id: form.uses })
    const removed = await tx.run(removeUpTo, { formId, last: form.uses - keptMax })
    if (removed > 0) tx.send(lowerKept, { formId, removed })
    return { isMailDropped: mail !== undefined && (await queueMail(tx, mail)) === 'dropped' }
  },
)

export type FormStore = ReturnType<typeof formStore>

/** Forms at their addresses. System store: an address has no account. */
export const formStore = (db: Database) => ({
  /** @returns undefined for an unknown or disabled form */
  find: async (slug: string): Promise<Form | undefined> => (isSlug(slug) ? db.one(bySlug, { slug }) : undefined),

  /**
   * Stores a submission and counts it.
   * @param mail tells the owner of it
   * @returns false if the form has been disabled or deleted
   */
  store: (submission: NewSubmission, mail?: QueuedMail): Promise<false | { readonly isMailDropped: boolean }> =>
    db.write(storeSubmission, submission, mail),
})
