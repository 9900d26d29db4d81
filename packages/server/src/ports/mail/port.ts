/**
 * Sends e-mails. Callers are jobs and the operator's commands, never the handler of a request: a mail server may take minutes.
 * Each call ends within its deadline, also if the server is down, slow or answers endlessly.
 */
export interface Mail {
  /**
   * Hands a message to the mail server. If the answer of the server is lost, the error is temporary, and the message may arrive twice:
   * both copies have the same Message-ID.
   * @throws MailError
   */
  readonly send: (message: MailMessage) => Promise<void>

  /** Connects and signs in, without a message. @throws MailError */
  readonly check: () => Promise<void>

  /** Ends the connections. Calls under way fail with a temporary error. */
  readonly close: () => Promise<void>
}

export interface MailMessage {
  /** An address such as ada@example.com, without a name. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The part before the @ of the Message-ID: the same for each attempt. Letters, digits, `.`, `_` and `-`. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly date: number
  /** The URL of one-click unsubscription (RFC 8058); undefined for a message that cannot be switched off. */
  readonly unsubscribeUrl?: string | undefined
}

/**
 * A message was not accepted. The texts are for the operator: they never contain the password of the mail server.
 */
export class MailError extends Error {
  override readonly name = 'MailError'

  /**
   * @param message a sentence
   * @param isPermanent whether the server refuses this message for ever, so that no attempt can succeed
   */
  constructor(
    message: string,
    readonly isPermanent = false,
    options: ErrorOptions = {},
  ) {
    super(message, options)
  }
}
