import MailComposer from 'nodemailer/lib/mail-composer'
import { MailError, type MailMessage } from '../port.js'
import type { Sender } from '../smtp-config.js'

/** A message as it is sent (RFC 5322), with the addresses for the mail server. */
export interface BuiltMessage {
  readonly envelope: { readonly from: string; readonly to: string; readonly size: number }
  readonly bytes: Buffer
}

/** Controls and line breaks would end a header (RFC 5322, section 2.2). */
const isOneLine = (text: string): boolean => !/[\p{Cc}\u2028\u2029]/u.test(text)

/**
 * Builds a message of two forms, plain text and HTML. Everything that goes into a header is checked here again, whatever the caller has
 * checked: no text can add a header or a recipient.
 * @throws MailError, which is permanent, for an address or a text that cannot be in a header
 */
export async function buildMessage(message: MailMessage, from: Sender): Promise<BuiltMessage> {
  const { to, subject, text, html, id, date, unsubscribeUrl } = message
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/u.test(to) || !isOneLine(to))
    throw new MailError('The recipient is not an address.', true)
  if (!isOneLine(subject)) throw new MailError('The subject has more than one line.', true)
  if (!/^[\w.-]{1,128}$/.test(id)) throw new MailError('The id of the message has other characters.', true)
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: new Date(date),
    messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    headers: headersOf(unsubscribeUrl),
    // Nothing of a text is ever read from a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const bytes = await composer.compile().build()
  return { envelope: { from: from.address, to, size: bytes.length }, bytes }
}

/** Programs that answer e-mails answer none of these (RFC 3834, section 5). */
function headersOf(unsubscribeUrl: string | undefined): Record<string, string> {
  const automatic = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
  if (unsubscribeUrl === undefined) return automatic
  if (!/^https?:\/\/[!-;=?-~]+$/.test(unsubscribeUrl))
    throw new MailError('The link to unsubscribe is not a URL.', true)
  return {
    ...automatic,
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}
