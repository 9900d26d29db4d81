import { overviewEntriesMax, type OverviewPart } from '@svc/contract'
import type { Overview } from '../../../http/area.js'
import type { EventStore } from '../../../journal/events.js'
import { eventJson } from '../../../journal/presenter.js'
import type { TokenStore } from '../tokens/store.js'

type Part = OverviewPart<'account'>

/** The part of the start page: the number of tokens, and what was done last. */
export const accountOverview =
  (tokens: Pick<TokenStore, 'count'>, events: Pick<EventStore, 'latest'>): Overview<'account'> =>
  async (account) => {
    const [keys, latest] = await Promise.all([tokens.count(account), events.latest(account, overviewEntriesMax)])
    return { keys, events: latest.map((event) => JSON.parse(eventJson(event)) as Part['events'][number]) }
  }
