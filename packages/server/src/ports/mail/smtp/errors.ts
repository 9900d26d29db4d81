import { MailError } from '../port.js'
import type { SmtpConfig } from '../smtp-config.js'

/** What the errors of nodemailer have beside the message. */
interface SmtpFailure extends Error {
  readonly code?: string
  /** The command that was under way: `MAIL FROM`, `RCPT TO`, `DATA`, `AUTH …`, `CONN`, `API`. */
  readonly command?: string
  readonly response?: string
  readonly responseCode?: number
}

/** Commands whose refusal is about the message, not about the server or the sign-in. */
const ofMessage = new Set(['MAIL FROM', 'RCPT TO', 'DATA'])

/** Replies about the sign-in and TLS (RFC 4954, RFC 3207): another setting, or another day, makes the same message pass. */
const ofSession = new Set([503, 530, 534, 535, 538])

const quotedMaxLength = 200

/**
 * The error of a mail server or of the way to it, in a sentence for the operator. A server knows the password, and may repeat it: it is
 * masked, in the forms in which it was sent, too.
 */
export function toMailError(error: unknown, config: SmtpConfig): MailError {
  if (error instanceof MailError) return error
  const failure = (error instanceof Error ? error : new Error(String(error))) as SmtpFailure
  const server = `The mail server at ${config.host}:${String(config.port)}`
  const { response, responseCode, command = '' } = failure
  if (typeof response !== 'string' || responseCode === undefined) {
    // nodemailer checks addresses and the limit of the server for the size before it sends anything.
    const isPermanent = failure.code === 'EMESSAGE' || (failure.code === 'EENVELOPE' && command !== 'CONN')
    return new MailError(`${server} took no message: ${shown(failure.message, config)}.`, isPermanent)
  }
  const what = command === '' || command === 'CONN' ? 'the connection' : command.replace(/^AUTH .*/, 'the sign-in')
  const isPermanent = responseCode >= 500 && ofMessage.has(command) && !ofSession.has(responseCode)
  return new MailError(`${server} answered "${shown(response, config)}" to ${what}.`, isPermanent)
}

/** One line without controls and without the password. */
function shown(text: string, { credentials }: SmtpConfig): string {
  let visible = text
  if (credentials !== undefined) {
    const { user, password } = credentials
    const forms = [`\0${user}\0${password}`, password].flatMap((form) => [form, Buffer.from(form).toString('base64')])
    for (const form of forms) visible = visible.replaceAll(form, '***')
  }
  const line = visible
    .replaceAll(/[\p{C}\s\u2028\u2029]+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
  return line.length > quotedMaxLength ? `${line.slice(0, quotedMaxLength)}…` : line
}
