import { failingCountMax } from '@svc/contract/limits'
import type { Database } from '../../../db/port.js'
import type { Area } from '../../../http/area.js'
import { noticeJobs } from '../../../ports/mail/outbox/notices.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { timestamp } from '../../../shared/timestamp.js'
import { webhookNoticeStore } from './notice-store.js'

/** E-mails about webhooks that have not taken events for a day. @param baseUrl of the console */
export function webhookNotices(
  database: Database,
  outbox: Pick<MailOutbox, 'isOn' | 'wake'>,
  baseUrl: string,
): Required<Pick<Area<'account'>, 'jobs' | 'mails'>> {
  const store = webhookNoticeStore(database)
  return {
    jobs: noticeJobs(outbox, {
      name: 'account.webhook-failure-notices',
      failureMessage: 'e-mails about the webhooks of accounts could not be added',
      add: store.add,
    }),
    mails: {
      'delivery-failure': async ({ accountId, topic }) => {
        const found = await store.failing(accountId, topic)
        if (found === undefined) return undefined
        const { host, since, count } = found
        return {
          title: `${host} does not take the events of your account`,
          paragraphs: ['The webhook has accepted no event for more than a day.'],
          facts: [
            ['Failed events', count >= failingCountMax ? `${String(count)} or more` : String(count)],
            ['Since', timestamp(since)],
          ],
          action: { label: 'See the webhook', url: `${baseUrl}/console/activity/webhooks` },
        }
      },
    },
  }
}
