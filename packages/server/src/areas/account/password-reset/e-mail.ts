import { passwordResetMinutes } from '@svc/contract/limits'
import type { Compose } from '../../../ports/mail/outbox/mailer.js'
import { newSessionSecret } from '../secrets.js'
import type { PasswordResetStore } from './store.js'

/** How long a link works, in milliseconds. */
const linkMs = passwordResetMinutes * 60_000

/**
 * Makes the link when the e-mail is sent, so that the outbox has no token. It is behind a #: browsers send it to no server, so it is in
 * no log and in no Referer.
 * @param baseUrl of the server
 */
export const resetMail =
  (store: PasswordResetStore, baseUrl: string): Compose =>
  async ({ accountId, recipient }) => {
    const [token, now] = [newSessionSecret(), Date.now()]
    const isAdded = await store.add(token, { accountId, email: recipient, expiresAt: now + linkMs, now })
    if (!isAdded) return undefined
    const { host } = new URL(baseUrl)
    return {
      title: `Reset your password at ${host}`,
      paragraphs: [
        `A new password was requested for the account ${recipient} at ${host}. The link works once, for ${String(passwordResetMinutes)} minutes.`,
      ],
      action: { label: 'Set a new password', url: `${baseUrl}/console/reset-password#${token}` },
      footer: ['If you have not requested it, ignore this e-mail: your password has not changed.'],
    }
  }
