import type { Areas } from '@svc/contract'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import type { EventStore } from '../../../journal/events.js'
import { eventJson } from '../../../journal/presenter.js'
import { pageKey, yieldBatches } from '../../../shared/page.js'
import { turns } from '../../../shared/turns.js'

/** What was done in the account. */
export function eventHandlers(events: EventStore): Pick<Handlers<Areas['account']>, 'eventList'> {
  const oneEachTurn = turns()
  return {
    async eventList({ query }, context) {
      const { area, object, token } = query
      const page = await events.page(context.account, { area, object, token }, pageKey(query), () => context.hasLeft)
      const end = `],"next":${String(page.next)},"total":${String(page.total)}}`
      return longList('{"events":[', yieldBatches(page.events, oneEachTurn), eventJson, () => end)
    },
  }
}
