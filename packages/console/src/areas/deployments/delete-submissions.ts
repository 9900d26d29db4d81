import { deletedAtOnceMax } from '@svc/contract'
import type { InfiniteData } from '@tanstack/react-query'
import { changeAnswer } from '../../parts/api/change-answer.js'
import { keepaliveClient } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { removeRows } from '../../parts/removal/removal.js'
import { submissionsKey, type Submission, type SubmissionPage } from './queries.js'

/** The submissions of a form among the lists that hide deleted rows. */
export const submissionList = (formId: number): string => `submissions of ${String(formId)}`

/** Deletes submissions of a form, with an offer to undo it. */
export const deleteSubmissions = (formId: number, submissions: readonly Submission[]): Promise<void> =>
  removeRows({
    list: submissionList(formId),
    noun: 'submission',
    ids: submissions.map(({ id }) => id),
    partSize: deletedAtOnceMax,
    send: (ids) => keepaliveClient.deployments.submissionsDelete({ id: formId, submission_ids: [...ids] }),
    drop: (ids) => drop(formId, ids),
    reload: () => void queryClient.invalidateQueries({ queryKey: submissionsKey(formId) }),
  })

type Loaded = InfiniteData<SubmissionPage, number | null>

/** From every list of the form that is in memory: of all days, and of one. */
function drop(formId: number, ids: ReadonlySet<number>): void {
  for (const { queryKey } of queryClient.getQueryCache().findAll({ queryKey: submissionsKey(formId) }))
    changeAnswer<Loaded>(queryKey, (loaded) => ({ ...loaded, pages: without(loaded.pages, ids) }))
}

function without(pages: readonly SubmissionPage[], ids: ReadonlySet<number>): SubmissionPage[] {
  const removed = pages.flatMap(({ submissions }) => submissions).filter(({ id }) => ids.has(id)).length
  const kept = (submissions: readonly Submission[]) => submissions.filter(({ id }) => !ids.has(id))
  return pages.map((page) => ({ ...page, submissions: kept(page.submissions), total: page.total - removed }))
}
