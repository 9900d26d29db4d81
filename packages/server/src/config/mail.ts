import type { Sender, SmtpConfig } from '../ports/mail/smtp-config.js'
import { isHostName } from '../shared/host-name.js'
import { isLocalHost } from '../shared/local-host.js'
import { parseUrl } from '../shared/parse-url.js'
import { mailbox } from './dns.js'
import { oneOf, text } from './parsers.js'
import { InvalidSetting, optional, setting, type Values } from './setting.js'

/** The ports of submission (RFC 6409, RFC 8314). */
const defaultPorts = { 'smtp:': 587, 'smtps:': 465 } as const

const urlRule =
  'must be smtp://<user>:<password>@<host>:<port> or smtps://<user>:<password>@<host>:<port>, with ?starttls=required or ?starttls=off behind the host if needed'

/** The message never quotes the URL, which has a password. */
function smtpUrl(given: string): Omit<SmtpConfig, 'from'> {
  const url = parseUrl(given)
  const protocol = url?.protocol
  if (url === undefined || (protocol !== 'smtp:' && protocol !== 'smtps:')) throw new InvalidSetting(urlRule)
  const host = url.hostname.toLowerCase()
  const isAddress = /^\[[\da-f:.]+\]$|^\d+(?:\.\d+){3}$/.test(host)
  if ((!isAddress && !isHostName(host)) || !['', '/'].includes(url.pathname) || url.hash !== '')
    throw new InvalidSetting(urlRule)
  const user = decoded(url.username)
  const password = decoded(url.password)
  if ((user === '') !== (password === '')) throw new InvalidSetting('must have a user and a password, or neither')
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPorts[protocol] : Number(url.port),
    tls: tlsOf(protocol, host, url.search),
    credentials: user === '' ? undefined : { user, password },
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new InvalidSetting('must have % in the user and the password as %25')
  }
}

/** A mail server on this machine has rarely a certificate for `localhost`, and needs none. */
function tlsOf(protocol: string, host: string, search: string): SmtpConfig['tls'] {
  if (!['', '?starttls=required', '?starttls=off'].includes(search)) throw new InvalidSetting(urlRule)
  if (protocol === 'smtps:') {
    if (search !== '') throw new InvalidSetting('must not have ?starttls: smtps:// has TLS from the start')
    return 'implicit'
  }
  if (search === '') return isLocalHost(host) ? 'none' : 'starttls'
  return search === '?starttls=off' ? 'none' : 'starttls'
}

/** `svc@example.com`, or `Example <svc@example.com>`. */
function sender(given: string): Sender {
  const text = given.trim()
  const start = text.lastIndexOf('<')
  if (start === -1 || !text.endsWith('>')) return { name: '', address: mailbox(text) }
  const name = text
    .slice(0, start)
    .trim()
    .replace(/^"(.*)"$/, '$1')
  if (/[\p{C}"<>]/u.test(name) || name.length > 64)
    throw new InvalidSetting('must have a name of at most 64 visible characters before the address')
  return { name, address: mailbox(text.slice(start + 1, -1)) }
}

export const mailSettings = {
  server: optional(
    'SVC_SMTP_URL',
    'The server that takes e-mails: smtp://<user>:<password>@<host>:<port>, with STARTTLS unless it is this machine, or smtps:// for TLS from the start',
    { type: text('<url>', smtpUrl), default: 'none: svc sends no e-mails', secret: true },
  ),
  from: optional('SVC_MAIL_FROM', 'The sender of e-mails, such as svc@example.com or Example <svc@example.com>', {
    type: text('<address>', sender),
    default: 'none',
  }),
  passwordReset: setting(
    'SVC_PASSWORD_RESET',
    'on lets users reset a forgotten password by e-mail; needs SVC_SMTP_URL',
    { type: text('<mode>', oneOf(['on', 'off'])), default: 'off' },
  ),
}

/** @param refuse reports settings that do not fit together @returns undefined if svc sends no e-mails */
export function mailOf(
  { server, from, passwordReset }: Values<typeof mailSettings>,
  refuse: (problem: string) => void,
): SmtpConfig | undefined {
  if (server === undefined) {
    if (passwordReset === 'on')
      refuse(
        'SVC_PASSWORD_RESET is on, but svc sends no e-mails: set SVC_SMTP_URL and SVC_MAIL_FROM, or set it to off.',
      )
    if (from !== undefined) refuse('SVC_MAIL_FROM is set, but SVC_SMTP_URL is not: set it to the URL of a mail server.')
    return undefined
  }
  if (from === undefined) refuse('SVC_SMTP_URL is set: set SVC_MAIL_FROM to the address that e-mails come from.')
  return { ...server, from: from ?? { name: '', address: '' } }
}
