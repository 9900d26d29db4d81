/** HTTP requests to URLs that users choose. No such request reaches a network of the operator, except those that are allowed. */
export interface UserTargets {
  /**
   * Checks what a URL itself shows. The addresses of a name are checked when a request is sent, because they can change.
   * @returns what is wrong, as in `must …`; undefined if requests can be sent to it
   */
  readonly problemOf: (url: string) => string | undefined

  /**
   * Sends one request over a new connection, and follows no redirect. The deadline is ten seconds for the whole exchange.
   * The answer counts as soon as its headers have arrived; its body is read to a limit, and only its start is returned.
   * @throws TargetError
   */
  readonly send: (url: string, request: TargetRequest) => Promise<TargetAnswer>
}

/** How much of the body of an answer is returned. */
export const bodyStartMaxBytes = 1024

export interface TargetAnswer {
  readonly status: number
  /** The header, as it came. */
  readonly retryAfter: string | undefined
  /** The first bytes of the body, at most `bodyStartMaxBytes`: whatever the target has sent. */
  readonly bodyStart: Buffer
}

export interface TargetRequest {
  readonly method: string
  /** Names and values in turn. `Host` and `Content-Length` are added. */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** Aborts the request. */
  readonly signal: AbortSignal
}

/**
 * The target did not answer, or must not be asked. The message is shown to the user: it contains no address, because names can
 * resolve to addresses that only this server knows.
 */
export class TargetError extends Error {
  override readonly name = 'TargetError'
}
