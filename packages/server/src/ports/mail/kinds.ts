import type { noticeKinds } from '@svc/contract/limits'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

interface Kind {
  /** The shortest time between two e-mails of a topic. What happens meanwhile is counted, and said in the next one. */
  readonly intervalMs: number
  /** How long an e-mail is repeated while the mail server does not take it. */
  readonly keptMs: number
  /** What the owner of the account can switch off, as the object of a sentence; null for an e-mail that they have asked for. */
  readonly what: string | null
  /** Whether it is sent however many others wait, because an account depends on it. Its topics must be few. */
  readonly isUrgent?: boolean
}

/** Every kind of e-mail to accounts. */
export const mailKinds = {
  'password-reset': { intervalMs: minuteMs, keptMs: 30 * minuteMs, what: null, isUrgent: true },
  'new-browser': { intervalMs: hourMs, keptMs: 2 * dayMs, what: 'sign-ins from a new browser', isUrgent: true },
  // Longer than the time between the first and the second of its three e-mails.
  'domain-expiry': { intervalMs: 31 * dayMs, keptMs: 2 * dayMs, what: 'domains that expire' },
  'certificate-failure': { intervalMs: 7 * dayMs, keptMs: 2 * dayMs, what: 'certificates that cannot be ordered' },
  'delivery-failure': { intervalMs: 7 * dayMs, keptMs: 2 * dayMs, what: 'webhooks whose deliveries fail' },
  'form-submission': { intervalMs: hourMs, keptMs: 2 * dayMs, what: 'submissions of your forms' },
} as const satisfies Record<(typeof noticeKinds)[number] | 'password-reset', Kind>

export type MailKind = keyof typeof mailKinds

const mailKindNames = Object.keys(mailKinds) as readonly MailKind[]

/** Whether e-mails of a kind are sent however many others wait. */
export const isUrgent = (kind: MailKind): boolean => (mailKinds[kind] as Kind).isUrgent === true

export const isMailKind = (text: string): text is MailKind => Object.hasOwn(mailKinds, text)

/** The kinds that can be switched off. */
export const optionalKinds: readonly MailKind[] = mailKindNames.filter((kind) => mailKinds[kind].what !== null)
