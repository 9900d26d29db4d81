import { badRequest } from '@svc/contract/errors'
import { isInNumbers } from '../../../db/json-list.js'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { unit } from '../../../db/unit.js'
import type { Account } from '../../../shared/account.js'
import type { Actor } from '../../../shared/actor.js'
import { readLongRows, type Page, type PageKey } from '../../../shared/page.js'
import { always, type Period } from '../../../shared/period.js'
import { turns } from '../../../shared/turns.js'
import type { Deployment } from '../deployment.js'
import { recordDeploymentEvent } from '../events.js'
import { lockOwnDeployment, requireOwnDeployment } from '../store.js'
import { formLockKey, lowerKept } from './form-store.js'

/** A stored submission. */
export interface StoredSubmission {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  readonly network: string
  readonly userAgent: string
  readonly subject: string | null
  /** JSON object. */
  readonly fields: string
}

/** Of one page: its rows are read on the event loop. */
const pageMaxEntries = 100
const pageMaxBytes = 256 * 1024

/** Served by the primary key: a form keeps 10,000 submissions. */
const counted = prepared((db, p: Period & { formId: number }) =>
  db
    .selectFrom('form_submission')
    .where('deployment_id', '=', p.formId)
    .where('received_at', '>=', p.from)
    .where('received_at', '<', p.to)
    .select((row) => row.fn.countAll<number>().as('count')),
)

/** Served by the primary key, read backwards. The sizes only: they precede the long column. */
const sizes = prepared((db, p: Period & { formId: number; before: number; rows: number }) =>
  db
    .selectFrom('form_submission')
    .where('deployment_id', '=', p.formId)
    .where('id', '<', p.before)
    .where('received_at', '>=', p.from)
    .where('received_at', '<', p.to)
    .select(['id', 'size'])
    .orderBy('id', 'desc')
    .limit(p.rows),
)

/** Served by the primary key. */
const between = prepared((db, p: Period & { formId: number; first: number; last: number }) =>
  db
    .selectFrom('form_submission')
    .where('deployment_id', '=', p.formId)
    .where('id', '>=', p.first)
    .where('id', '<=', p.last)
    .where('received_at', '>=', p.from)
    .where('received_at', '<', p.to)
    .select(['id', 'received_at as receivedAt', 'network', 'user_agent as userAgent', 'subject', 'fields'])
    .orderBy('id', 'desc'),
)

/** Served by the primary key. */
const remove = prepared((db, p: { formId: number; ids: string }, dialect) =>
  db
    .deleteFrom('form_submission')
    .where('deployment_id', '=', p.formId)
    .where(isInNumbers('id', p.ids, dialect)),
)

const removeSubmissions = unit(
  import.meta,
  'removeSubmissions',
  (_: number, formId: number) => formLockKey(formId),
  async (tx, accountId: number, formId: number, ids: readonly number[], at: number, actor: Actor) => {
    const form = requireForm(await lockOwnDeployment(tx, accountId, formId))
    const removed = await tx.run(remove, { formId, ids: JSON.stringify(ids) })
    if (removed === 0) return 0
    tx.send(lowerKept, { formId, removed })
    recordDeploymentEvent(tx, form, { at, action: 'submissions_delete', actor, before: { count: removed } })
    return removed
  },
)

function requireForm(deployment: Deployment): Deployment {
  if (deployment.kind !== 'form') throw badRequest('id', `names a ${deployment.kind}: only forms have submissions`)
  return deployment
}

export type SubmissionStore = ReturnType<typeof submissionStore>

/** Submissions of the forms of an account. */
export function submissionStore(db: Database) {
  const oneEachTurn = turns()
  return {
    /** @throws ApiError `not_found`, `forbidden`; `bad_request` for a deployment that is not a form */
    form: async (account: Account, id: number): Promise<Deployment> =>
      requireForm(await requireOwnDeployment(db, account.id, id)),

    /** The number of kept submissions. @param form as `form` returned it @param period undefined for all */
    count: async (form: Deployment, period: Period | undefined): Promise<number> =>
      period === undefined ? form.kept : ((await db.one(counted, { formId: form.id, ...period }))?.count ?? 0),

    /**
     * Newest first. A page has fewer entries than asked for if they are long.
     * @param form as `form` returned it
     */
    page: (form: Deployment, key: PageKey, period = always): Promise<Page<StoredSubmission>> =>
      oneEachTurn(() =>
        readLongRows({ ...key, limit: Math.min(key.limit, pageMaxEntries) }, pageMaxBytes, {
          sizes: (before, rows) => db.all(sizes, { formId: form.id, before, rows, ...period }),
          between: (first, last) => db.all(between, { formId: form.id, first, last, ...period }),
        }),
      ),

    /**
     * @returns how many of the submissions existed
     * @throws ApiError `not_found`, `forbidden`; `bad_request` for a deployment that is not a form
     */
    remove: (account: Account, formId: number, ids: readonly number[]): Promise<number> =>
      db.write(removeSubmissions, account.id, formId, ids, Date.now(), account.actor),
  }
}
