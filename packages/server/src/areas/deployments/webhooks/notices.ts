import { failingCountMax } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import type { Area } from '../../../http/area.js'
import { noticeJobs } from '../../../ports/mail/outbox/notices.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { timestamp } from '../../../shared/timestamp.js'
import { deliveryNoticeStore } from './notice-store.js'

/** E-mails about webhooks whose deliveries have failed for a day. @param baseUrl of the console */
export function deliveryNotices(
  database: Database,
  outbox: Pick<MailOutbox, 'isOn' | 'wake'>,
  baseUrl: string,
): Required<Pick<Area<'deployments'>, 'jobs' | 'mails'>> {
  const store = deliveryNoticeStore(database)
  return {
    jobs: noticeJobs(outbox, {
      name: 'deployments.failure-notices',
      failureMessage: 'e-mails about webhooks could not be added',
      add: store.add,
    }),
    mails: {
      'delivery-failure': async ({ accountId, topic }) => {
        // Other topics of the kind are those of other areas.
        const found = /^\d+$/.test(topic) ? await store.failing(accountId, Number(topic)) : undefined
        if (found === undefined) return undefined
        const { id, slug, since, count } = found
        return {
          title: `Deliveries of the webhook ${slug} fail`,
          paragraphs: ['The target has not taken requests of this webhook for more than a day.'],
          facts: [
            ['Failed requests', count >= failingCountMax ? `${String(count)} or more` : String(count)],
            ['Since', timestamp(since)],
          ],
          action: { label: 'See the attempts', url: `${baseUrl}/console/deployments/${String(id)}` },
        }
      },
    },
  }
}
