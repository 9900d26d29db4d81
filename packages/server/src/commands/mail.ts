import { randomUUID } from 'node:crypto'
import { normalEmail } from '../areas/account/accounts/email.js'
import type { Config } from '../config/config.js'
import { MailError } from '../ports/mail/port.js'
import { selectMail } from '../ports/mail/select.js'
import { renderMail } from '../ports/mail/template.js'
import { OperatorError } from '../shared/operator-error.js'

/**
 * `svc mail test`: sends one e-mail at once, without the outbox.
 * @returns the address
 * @throws OperatorError without a mail server, and if it does not take the message; ApiError for a malformed address
 */
export async function sendTestMail({ mail: config }: Pick<Config, 'mail'>, given: string): Promise<string> {
  const to = normalEmail(given)
  const mail = await selectMail(config)
  if (mail === undefined)
    throw new OperatorError('svc sends no e-mails: set SVC_SMTP_URL to the URL of a mail server, and SVC_MAIL_FROM.', 2)
  const content = renderMail({
    title: 'svc can send e-mails',
    paragraphs: ['This is the test that the operator of svc has asked for. There is nothing to do.'],
  })
  try {
    await mail.send({ to, ...content, id: `test.${randomUUID()}`, date: Date.now() })
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    throw new OperatorError(error.message, 1, { cause: error })
  } finally {
    await mail.close()
  }
  return to
}
