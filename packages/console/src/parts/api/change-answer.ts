import type { QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client.js'

/**
 * Changes an answer that is in memory. A read that is on its way may have begun before the change: its answer is changed too.
 * @param change without effect on an answer that has the change already
 */
export function changeAnswer<Answer>(queryKey: QueryKey, change: (answer: Answer) => Answer): void {
  const apply = () => queryClient.setQueryData<Answer>(queryKey, (answer) => answer && change(answer))
  apply()
  const query = queryClient.getQueryCache().find({ queryKey, exact: true })
  if (query === undefined || query.state.fetchStatus === 'idle') return
  const stop = queryClient.getQueryCache().subscribe((event) => {
    if (event.query !== query || query.state.fetchStatus !== 'idle') return
    stop()
    // Not inside of the event, which is about another change.
    queueMicrotask(apply)
  })
}
