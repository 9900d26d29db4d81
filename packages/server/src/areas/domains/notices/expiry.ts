import type { Database } from '../../../db/port.js'
import type { Area } from '../../../http/area.js'
import { noticeJobs } from '../../../ports/mail/outbox/notices.js'
import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { counted } from '../../../shared/counted.js'
import { expiryNoticeStore } from './expiry-store.js'

const dayMs = 86_400_000

/** How many domains an e-mail lists. */
const shownMax = 50

/** E-mails 30 days, 7 days and a day before domains expire. @param baseUrl of the console */
export function expiryNotices(
  database: Database,
  outbox: Pick<MailOutbox, 'isOn' | 'wake'>,
  baseUrl: string,
): Required<Pick<Area<'domains'>, 'jobs' | 'mails'>> {
  const store = expiryNoticeStore(database)
  return {
    jobs: noticeJobs(outbox, {
      name: 'domains.expiry-notices',
      failureMessage: 'e-mails about domains that expire could not be added',
      add: store.add,
    }),
    mails: {
      'domain-expiry': async ({ accountId, topic }) => {
        const day = Number(topic.split(' ')[1])
        const found = await store.expiring(accountId, day, shownMax + 1)
        // They have been renewed or removed meanwhile.
        const [first] = found
        if (first === undefined) return undefined
        const shown = found.slice(0, shownMax)
        const date = new Date(day * dayMs).toISOString().slice(0, 10)
        const what = found.length === 1 ? first.name : counted(shown.length, 'domain')
        return {
          title: `${what} will expire on ${date}`,
          paragraphs: [
            `The registration ends on ${date} (UTC). Renew it at the registrar, unless it is renewed by itself.`,
            ...(found.length > shownMax ? [`Only the first ${String(shownMax)} domains are listed.`] : []),
          ],
          facts: shown.map(({ name, registrar }) => [name, registrar ?? 'unknown registrar']),
          action: { label: 'See your domains', url: `${baseUrl}/console/domains` },
        }
      },
    },
  }
}
