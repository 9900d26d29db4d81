import type { Mail } from './port.js'
import type { SmtpConfig } from './smtp-config.js'

/** Opens the mail server. Its module is loaded only if one is configured. @returns undefined if svc sends no e-mails */
export async function selectMail(config: SmtpConfig | undefined): Promise<Mail | undefined> {
  if (config === undefined) return undefined
  const { SmtpMail } = await import('./smtp/smtp-mail.js')
  return new SmtpMail(config)
}
