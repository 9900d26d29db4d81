import type { MailOutbox } from '../../../ports/mail/outbox/outbox.js'
import { timestamp } from '../../../shared/timestamp.js'
import type { TellOwner } from '../sign-in/open-session.js'

/** Tells the owner about a sign-in from a browser that has not signed in since the last change of the password. */
export const newBrowserNotice =
  (outbox: Pick<MailOutbox, 'prepare'>, baseUrl: string): TellOwner =>
  ({ id: accountId, email }, { ip, userAgent }) => {
    const { host } = new URL(baseUrl)
    return outbox.prepare({
      accountId,
      kind: 'new-browser',
      topic: '',
      content: {
        title: `New sign-in at ${host}`,
        paragraphs: [
          `A browser has signed in to the account ${email} at ${host} that has not done so before. If it was not you, change the password: that signs out all other browsers.`,
        ],
        facts: [
          ['Time', timestamp(Date.now())],
          ['Address', ip],
          ['Browser', userAgent === '' ? 'unknown' : userAgent],
        ],
        action: { label: 'See the sessions', url: `${baseUrl}/console/account` },
      },
    })
  }
