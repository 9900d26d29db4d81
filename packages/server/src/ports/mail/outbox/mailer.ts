import type { Logger } from 'pino'
import type { Job } from '../../../shared/job.js'
import type { Wakeup } from '../../../shared/wakeup.js'
import { isMailKind, mailKinds, type MailKind } from '../kinds.js'
import { MailError, type Mail } from '../port.js'
import { renderMail, type MailContent } from '../template.js'
import type { DueMail, DueStore } from './due-store.js'

/** E-mails at a time. */
const atOnceMax = 4

/** Longer than the deadline of the mail server with the wait for a connection: meanwhile no other process sends the same one. */
const leaseMs = 300_000

/** Milliseconds between the attempts; the last one repeats. */
const defaultBackoff: readonly number[] = [60, 300, 900, 1_800, 3_600].map((seconds) => seconds * 1_000)

/** How long sending may go on when the server stops. */
const graceMs = 2_000

const failureMessage = 'e-mails could not be read or saved'

/** The outcome of an attempt, for metrics; `dropped` for an e-mail that is not added because too many wait. */
export type MailOutcome = 'sent' | 'failed' | 'given_up' | 'dropped'

/** Makes the content of an e-mail when it is sent, such as one with a one-time link. @returns undefined for one that is not sent any more */
export type Compose = (mail: Pick<DueMail, 'accountId' | 'topic' | 'recipient'>) => Promise<MailContent | undefined>

/** Those of some kinds. The other kinds have their content in the row. */
export type MailComposers = Partial<Record<MailKind, Compose>>

export interface MailerOptions {
  readonly mail: Mail
  readonly due: DueStore
  readonly log: Pick<Logger, 'error' | 'warn'>
  /** Called when an e-mail has been added. */
  readonly wakeup: Wakeup
  readonly composers: MailComposers
  /** The link that switches off a kind for an account. */
  readonly unsubscribeUrl: (accountId: number, kind: MailKind) => Promise<string>
  readonly onOutcome?: (kind: MailKind, outcome: MailOutcome) => void
  readonly backoff?: readonly number[]
}

/**
 * Sends the e-mails of the outbox. One is taken with a lease in one transaction, sent outside of any, and its outcome is saved in another
 * one: if the process ends in between, another one sends it after the lease, with the same Message-ID.
 */
export class Mailer {
  readonly job: Job
  readonly #running = new Set<Promise<void>>()
  #isStopping = false
  /** Whether the mail server has refused the last attempt: further refusals are not logged. */
  #isFailing = false

  constructor(private readonly options: MailerOptions) {
    this.job = {
      name: 'mail.outbox',
      everyMs: 1_000,
      runsIn: 'every process',
      wakeup: options.wakeup,
      failureMessage,
      run: () => this.#begin(),
    }
  }

  /** Begins no further e-mails. */
  stop(): void {
    this.#isStopping = true
  }

  /** Resolves when no e-mail is under way. Those that take longer than two seconds are sent again later. */
  async close(): Promise<void> {
    this.stop()
    const abort = setTimeout(() => void this.options.mail.close(), graceMs)
    await this.idle()
    clearTimeout(abort)
  }

  /** Resolves when the e-mails that have begun have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #begin(): Promise<void> {
    const free = atOnceMax - this.#running.size
    if (this.#isStopping || free <= 0) return
    const claimed = await this.options.due.claim(free, Date.now(), leaseMs)
    for (const mail of claimed) this.#start(mail)
  }

  #start(mail: DueMail): void {
    const run = this.#deliver(mail)
      .catch((error: unknown) => {
        this.options.log.error({ err: error }, failureMessage)
      })
      .finally(() => {
        this.#running.delete(run)
        // There may be more than could begin at once.
        if (!this.#isStopping) this.options.wakeup.call()
      })
    this.#running.add(run)
  }

  async #deliver(mail: DueMail): Promise<void> {
    const { due } = this.options
    const now = Date.now()
    if (this.#isStopping) return due.repeat(mail, now, mail.attempts - 1, null)
    if (now > mail.giveUpAt) return this.#giveUp(mail, 'The mail server did not take it in time.')
    const content = await this.#contentOf(mail)
    if (content === undefined) return due.end(mail, now, null)
    try {
      await this.#send(mail, content)
    } catch (error) {
      if (!(error instanceof MailError)) throw error
      return this.#failed(mail, error)
    }
    this.#isFailing = false
    this.options.onOutcome?.(mail.kind, 'sent')
    return due.end(mail, Date.now(), null)
  }

  async #send({ id, kind, recipient, createdAt, events }: DueMail, content: MailContent): Promise<void> {
    const { subject, text, html } = renderMail(withOmitted(content, events))
    // Unique among all e-mails of the installation, and the same for each attempt.
    // Another one with more events is another e-mail, also if the answer to the first one was lost.
    const messageId = `${kind}.${String(id)}.${createdAt.toString(36)}.${String(events)}`
    const { unsubscribeUrl } = content
    await this.options.mail.send({ to: recipient, subject, text, html, id: messageId, date: createdAt, unsubscribeUrl })
  }

  async #contentOf(mail: DueMail): Promise<MailContent | undefined> {
    const { composers, unsubscribeUrl } = this.options
    const { accountId, kind, content } = mail
    // A newer version may have written the row.
    if (!isMailKind(kind)) return undefined
    const composed = (await composers[kind]?.(mail)) ?? (kind in composers ? undefined : parsed(content))
    if (composed === undefined || mailKinds[kind].what === null) return composed
    return { ...composed, unsubscribeUrl: await unsubscribeUrl(accountId, kind) }
  }

  async #failed(mail: DueMail, error: MailError): Promise<void> {
    const { due, backoff = defaultBackoff, onOutcome, log } = this.options
    const now = Date.now()
    // The end of the server is the reason: the attempt does not count.
    if (this.#isStopping) return due.repeat(mail, now, mail.attempts - 1, null)
    if (error.isPermanent) return this.#giveUp(mail, error.message)
    onOutcome?.(mail.kind, 'failed')
    if (!this.#isFailing) log.warn({ err: error }, 'the mail server takes no e-mails; they wait')
    this.#isFailing = true
    const waitMs = backoff[Math.min(mail.attempts, backoff.length) - 1] ?? 0
    const dueAt = now + Math.round(waitMs * (0.9 + Math.random() / 5))
    if (dueAt > mail.giveUpAt) return this.#giveUp(mail, error.message)
    return due.repeat(mail, dueAt, mail.attempts, error.message)
  }

  /** Without the address in the log: it is personal. */
  async #giveUp(mail: DueMail, error: string): Promise<void> {
    this.options.onOutcome?.(mail.kind, 'given_up')
    this.options.log.warn({ account: mail.accountId, kind: mail.kind, reason: error }, 'an e-mail is given up')
    return this.options.due.end(mail, Date.now(), error)
  }
}

const parsed = (content: string): MailContent => JSON.parse(content) as MailContent

/** Says how many events of the topic the e-mail leaves out. */
function withOmitted(content: MailContent, events: number): MailContent {
  if (events <= 1) return content
  const more = events - 1
  const sentence = `${String(more)} more ${more === 1 ? 'event' : 'events'} of this kind came before this one, and got no e-mail.`
  return { ...content, paragraphs: [...content.paragraphs, sentence] }
}
