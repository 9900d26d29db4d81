import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpConfig } from '../smtp-config.js'
import type { BuiltMessage } from './message.js'

/** Milliseconds. No request waits for a mail server, and some delay their greeting on purpose. */
export interface SmtpDeadlines {
  /** The name's look-up and the connection. */
  readonly connectMs: number
  /** The greeting, and a change to TLS. */
  readonly greetingMs: number
  /** Between two packets. */
  readonly silenceMs: number
  /** From the call to the end, whatever the server sends meanwhile. */
  readonly totalMs: number
}

export const defaultDeadlines: SmtpDeadlines = {
  connectMs: 15_000,
  greetingMs: 30_000,
  silenceMs: 60_000,
  totalMs: 120_000,
}

export interface SessionOptions {
  readonly deadlines: SmtpDeadlines
  /** Certificates in PEM to trust; undefined for those of Node.js. */
  readonly ca: string | undefined
}

/** A reply is a few lines. One that is longer ends the connection. */
const replyMaxBytes = 64 * 1024

/** One connection to the mail server. After an error it is closed. */
export class SmtpSession {
  readonly #connection: SMTPConnection
  #isOpen = true
  /** Messages that it has sent. */
  sent = 0

  constructor(
    private readonly config: SmtpConfig,
    { deadlines, ca }: SessionOptions,
  ) {
    const { host, port, tls } = config
    this.#connection = new SMTPConnection({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: { minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) },
      dnsTimeout: deadlines.connectMs,
      connectionTimeout: deadlines.connectMs + deadlines.greetingMs,
      greetingTimeout: deadlines.greetingMs,
      socketTimeout: deadlines.silenceMs,
      socketCloseTimeout: 1_000,
      maxResponseSize: replyMaxBytes,
    })
    // A connection that ends while it is idle is no error: the next message uses another one.
    this.#connection.on('error', () => this.close())
    this.#connection.on('end', () => this.close())
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Connects, changes to TLS and signs in. @throws an error of nodemailer */
  async open(signal: AbortSignal): Promise<void> {
    const { credentials } = this.config
    await this.#step(signal, (done) => {
      this.#connection.connect(done)
    })
    if (credentials === undefined) return
    await this.#step(signal, (done) => {
      this.#connection.login({ user: credentials.user, pass: credentials.password }, done)
    })
  }

  /** @throws an error of nodemailer */
  async send({ envelope, bytes }: BuiltMessage, signal: AbortSignal): Promise<void> {
    await this.#step(signal, (done) => {
      this.#connection.send({ ...envelope }, bytes, done)
    })
    this.sent += 1
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#connection.close()
  }

  /** Ends it as the protocol asks for (RFC 5321, section 4.1.1.10), without waiting for the server. */
  quit(): void {
    if (!this.#isOpen) return
    this.#connection.quit()
    this.close()
  }

  /** nodemailer reports an error to the callback or as an event, depending on the state. */
  async #step(signal: AbortSignal, run: (done: (error?: Error | null) => void) => void): Promise<void> {
    const connection = this.#connection
    const listeners: (() => void)[] = []
    try {
      await new Promise<void>((resolve, reject) => {
        const ended = () => reject(new Error('The connection ended'))
        const late = () => reject(new Error('The exchange was not over in time'))
        connection.prependListener('error', reject)
        connection.on('end', ended)
        signal.addEventListener('abort', late)
        listeners.push(() => {
          connection.off('error', reject)
          connection.off('end', ended)
          signal.removeEventListener('abort', late)
        })
        if (signal.aborted) late()
        else
          run((error) => {
            if (error) reject(error)
            else resolve()
          })
      })
    } catch (error) {
      this.close()
      throw error
    } finally {
      for (const remove of listeners) remove()
    }
  }
}
