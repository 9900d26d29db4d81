import { deletedAtOnceMax } from '@svc/contract'
import type { InfiniteData } from '@tanstack/react-query'
import { changeAnswer } from '../../parts/api/change-answer.js'
import { lastingClient } from '../../parts/api/client.js'
import { queryClient } from '../../parts/api/query-client.js'
import { removeRows } from '../../parts/removal/removal.js'
import { submissionsQuery, type Submission, type SubmissionPage } from './queries.js'

/** The submissions of a form among the lists that hide deleted rows. */
export const submissionList = (formId: number): string => `submissions of ${String(formId)}`

/** Deletes submissions of a form, with an offer to undo it. */
export const deleteSubmissions = (formId: number, submissions: readonly Submission[]): Promise<void> =>
  removeRows({
    list: submissionList(formId),
    noun: 'submission',
    ids: submissions.map(({ id }) => id),
    partSize: deletedAtOnceMax,
    send: (ids) => lastingClient.deployments.submissionsDelete({ id: formId, submission_ids: [...ids] }),
    drop: (ids) => drop(formId, ids),
    reload: () => void queryClient.invalidateQueries(submissionsQuery(formId)),
  })

type Loaded = InfiniteData<SubmissionPage, number | null>

function drop(formId: number, ids: ReadonlySet<number>): void {
  changeAnswer<Loaded>(submissionsQuery(formId).queryKey, (loaded) => {
    const kept = loaded.pages.map(({ submissions }) => submissions.filter(({ id }) => !ids.has(id)))
    const count = (pages: readonly (readonly Submission[])[]) => pages.flat().length
    const removed = count(loaded.pages.map(({ submissions }) => submissions)) - count(kept)
    const pages = loaded.pages.map((page, index) => ({
      ...page,
      submissions: kept[index] ?? [],
      total: page.total - removed,
    }))
    return { ...loaded, pages }
  })
}
