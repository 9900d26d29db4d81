import { MailError } from '../../ports/mail/port.js'
import { dueStore } from '../../ports/mail/outbox/due-store.js'
import { selectMail } from '../../ports/mail/select.js'
import type { SmtpConfig } from '../../ports/mail/smtp-config.js'
import { requireDatabase, type Check, type Context } from './check.js'
import type { Report } from './finding.js'

const dayMs = 86_400_000

/** How many of the waiting e-mails are listed. */
const shownMax = 10

/** Whether the mail server can be reached and accepts the sign-in, and e-mails have waited for a day. No message is sent: `svc mail test` does that. */
export const mailCheck: Check = {
  section: 'mail',
  deadlineMs: 20_000,
  async run(context, report, signal) {
    const { mail: config } = context.config
    if (config === undefined) report.ok('SVC_SMTP_URL is not set, so svc sends no e-mails.')
    else {
      await checkServer(config, report, signal)
      await reportLate(context, report)
    }
  },
}

async function checkServer(config: SmtpConfig, report: Report, signal: AbortSignal): Promise<void> {
  const mail = await selectMail(config)
  const close = () => void mail?.close()
  signal.addEventListener('abort', close)
  try {
    await mail?.check()
    const signedIn = config.credentials === undefined ? '' : ' and accepts the sign-in'
    report.ok(
      `The mail server at ${config.host}:${String(config.port)} answers${signedIn}. E-mails come from ${config.from.address}.`,
    )
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    report.error(error.message, 'Check SVC_SMTP_URL; then svc mail test <address> sends a test e-mail.')
  } finally {
    await mail?.close()
  }
}

async function reportLate(context: Context, report: Report): Promise<void> {
  const database = await requireDatabase(context, report)
  if (database === undefined) return
  const late = await dueStore(database).late(Date.now() - dayMs, shownMax)
  if (late.length === 0) return
  report.warning(
    'E-mails have waited for more than a day.',
    'Check that a server runs, and that the mail server takes its e-mails. After two days, they are given up.',
    late.map(({ recipient, kind, createdAt, error }) =>
      `${kind} to ${recipient} since ${new Date(createdAt).toISOString()}. ${error ?? ''}`.trim(),
    ),
  )
}
