import { MailError } from '../../ports/mail/port.js'
import { selectMail } from '../../ports/mail/select.js'
import type { Check } from './check.js'

/** Whether the mail server can be reached and accepts the sign-in. No message is sent: `svc mail test` does that. */
export const mailCheck: Check = {
  section: 'mail',
  deadlineMs: 20_000,
  async run({ config: { mail: config } }, report, signal) {
    const mail = await selectMail(config)
    if (config === undefined || mail === undefined) {
      report.ok('SVC_SMTP_URL is not set, so svc sends no e-mails.')
      return
    }
    const close = () => void mail.close()
    signal.addEventListener('abort', close)
    try {
      await mail.check()
      const signedIn = config.credentials === undefined ? '' : ' and accepts the sign-in'
      report.ok(
        `The mail server at ${config.host}:${String(config.port)} answers${signedIn}. E-mails come from ${config.from.address}.`,
      )
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      report.error(error.message, 'Check SVC_SMTP_URL; then svc mail test <address> sends a test e-mail.')
    } finally {
      await mail.close()
    }
  },
}
