import type { Database } from '../../db/port.js'
import type { Area } from '../../http/area.js'
import { noticeJobs } from '../../ports/mail/outbox/notices.js'
import type { MailOutbox } from '../../ports/mail/outbox/outbox.js'
import { timestamp } from '../../shared/timestamp.js'
import { certificateNoticeStore } from './notice-store.js'

/** E-mails about certificates that could not be ordered for a day. @param baseUrl of the console */
export function certificateNotices(
  database: Database,
  outbox: Pick<MailOutbox, 'isOn' | 'wake'>,
  baseUrl: string,
): Required<Pick<Area<'tls'>, 'jobs' | 'mails'>> {
  const store = certificateNoticeStore(database)
  return {
    jobs: noticeJobs(outbox, {
      name: 'tls.failure-notices',
      failureMessage: 'e-mails about certificates could not be added',
      add: store.add,
    }),
    mails: {
      'certificate-failure': async ({ accountId, topic }) => {
        const found = await store.failing(accountId, Number(topic))
        if (found === undefined) return undefined
        const names = (JSON.parse(found.names) as string[]).join(', ')
        const until = found.notAfter === null ? 'There is none yet' : timestamp(found.notAfter)
        return {
          title: `No certificate for ${names}`,
          paragraphs: ['The certificate could not be ordered or renewed for more than a day. svc goes on trying.'],
          facts: [
            ['Names', names],
            ['Reason', found.error ?? 'unknown'],
            ['Valid until', until],
          ],
          action: { label: 'See the certificates', url: `${baseUrl}/console/certificates` },
        }
      },
    },
  }
}
