import type { Areas, ConsoleAreas } from '@svc/contract'
import { notFound } from '@svc/contract/errors'
import { RawJson, TextFile } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { pageKey } from '../../../shared/page.js'
import { requirePathId } from '../../../shared/path-id.js'
import { periodOf } from '../../../shared/period.js'
import { timestamp } from '../../../shared/timestamp.js'
import { turns } from '../../../shared/turns.js'
import { submissionsToCsv } from './csv.js'
import type { StoredSubmission, SubmissionStore } from './submission-store.js'

type SubmissionHandlers = Pick<Handlers<Areas['deployments']>, 'submissions' | 'submissionsExport' | 'submissionDelete'>

/** The submissions of forms. */
export function submissionHandlers(submissions: SubmissionStore): SubmissionHandlers {
  const inTurn = turns()
  return {
    async submissions({ params, query }, { account }) {
      const form = await submissions.form(account, requirePathId(params.id, 'deployment'))
      const period = periodOf(query)
      const [{ entries, next }, total] = await Promise.all([
        submissions.page(form, pageKey(query), period),
        submissions.count(form, period),
      ])
      // The fields are stored as JSON.
      const list = entries.map(toJson).join(',')
      return new RawJson(`{"submissions":[${list}],"next":${String(next)},"total":${String(total)}}`)
    },

    async submissionsExport({ params }, { account }) {
      const form = await submissions.form(account, requirePathId(params.id, 'deployment'))
      const csv = submissionsToCsv((before) => submissions.page(form, pageKey({ before })), inTurn)
      return new TextFile(`${form.slug}.csv`, 'text/csv; charset=utf-8', csv)
    },

    async submissionDelete({ body: { id, submission_id } }, { account }) {
      const removed = await submissions.remove(account, id, [submission_id])
      if (removed === 0) throw notFound(`submission ${String(submission_id)} of this form`)
      return { submission_id, deleted: true }
    },
  }
}

/** The deletion of several submissions, which only the console has. */
export const submissionsOfConsole = (
  submissions: SubmissionStore,
): Pick<Handlers<ConsoleAreas['deployments']>, 'submissionsDelete'> => ({
  submissionsDelete: async ({ body: { id, submission_ids: ids } }, { account }) => ({
    deleted: await submissions.remove(account, id, ids),
  }),
})

function toJson({ id, receivedAt, network, userAgent, subject, fields }: StoredSubmission): string {
  const known = { id, received_at: timestamp(receivedAt), network, user_agent: userAgent, subject }
  return `${JSON.stringify(known).slice(0, -1)},"fields":${fields}}`
}
