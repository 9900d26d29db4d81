import { Slots } from '../../../shared/slots.js'
import { MailError, type Mail, type MailMessage } from '../port.js'
import type { SmtpConfig } from '../smtp-config.js'
import { toMailError } from './errors.js'
import { buildMessage } from './message.js'
import { defaultDeadlines, SmtpSession, type SessionOptions } from './session.js'

/** Connections at a time. Providers allow few to one client. */
const connectionsMax = 4

/** Calls that wait for a connection. Further ones fail at once, as a temporary error. */
const waitingMax = 64

/** A connection is used again if the next message comes within this time. */
const idleMs = 5_000

/** Providers end a connection after some hundred messages. */
const messagesOfConnection = 50

/** A mail server that speaks SMTP (RFC 5321), with TLS and a sign-in. */
export class SmtpMail implements Mail {
  readonly #slots = new Slots(connectionsMax, waitingMax)
  readonly #idle = new Map<SmtpSession, NodeJS.Timeout>()
  readonly #closing = new AbortController()
  readonly #options: SessionOptions
  #running = 0
  #onIdle: (() => void) | undefined

  constructor(
    private readonly config: SmtpConfig,
    { deadlines = defaultDeadlines, ca }: Partial<SessionOptions> = {},
  ) {
    this.#options = { deadlines, ca }
  }

  async send(message: MailMessage): Promise<void> {
    const built = await buildMessage(message, this.config.from)
    await this.#withSession(async (session, signal) => session.send(built, signal))
  }

  async check(): Promise<void> {
    await this.#withSession(async () => Promise.resolve())
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const session of [...this.#idle.keys()]) this.#takeIdle(session).quit()
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }

  async #withSession(work: (session: SmtpSession, signal: AbortSignal) => Promise<void>): Promise<void> {
    const { totalMs } = this.#options.deadlines
    if (this.#closing.signal.aborted) throw new MailError('The server is stopping.')
    if (!(await this.#slots.take(performance.now() + totalMs)))
      throw new MailError('Too many e-mails are being sent at the same time.')
    this.#running += 1
    const late = AbortSignal.timeout(totalMs)
    const signal = AbortSignal.any([late, this.#closing.signal])
    let session: SmtpSession | undefined
    try {
      session = await this.#session(signal)
      await work(session, signal)
      this.#keep(session)
    } catch (error) {
      session?.close()
      throw toMailError(error, this.config)
    } finally {
      this.#running -= 1
      this.#slots.release()
      if (this.#running === 0) this.#onIdle?.()
    }
  }

  async #session(signal: AbortSignal): Promise<SmtpSession> {
    for (const session of [...this.#idle.keys()]) if (this.#takeIdle(session).isOpen) return session
    const session = new SmtpSession(this.config, this.#options)
    await session.open(signal)
    return session
  }

  #takeIdle(session: SmtpSession): SmtpSession {
    clearTimeout(this.#idle.get(session))
    this.#idle.delete(session)
    return session
  }

  #keep(session: SmtpSession): void {
    if (!session.isOpen) return
    if (session.sent >= messagesOfConnection || this.#closing.signal.aborted) {
      session.quit()
      return
    }
    const timer = setTimeout(() => this.#takeIdle(session).quit(), idleMs).unref()
    this.#idle.set(session, timer)
  }
}
