import { overviewEntriesMax, overviewTextMax } from '@svc/contract/limits'
import type { Overview } from '../../../http/area.js'
import { pageKey } from '../../../shared/page.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { MessageStore } from './read-store.js'

/** Messages on the start page of the console. */
export const smsOverview =
  (messages: Pick<MessageStore, 'page'>): Overview<'sms'> =>
  async (account) => {
    const { entries, total } = await messages.page(account, pageKey({ limit: overviewEntriesMax }))
    return {
      messages: total,
      latest: entries.map(({ id, sender, body, receivedAt }) => ({
        id,
        from: sender,
        text: Array.from(body.slice(0, 2 * overviewTextMax))
          .slice(0, overviewTextMax)
          .join(''),
        received_at: timestamp(receivedAt),
      })),
    }
  }
