import { rcodeText } from '../../ports/dns/wire/rcode-text.js'

/** An answer of the primary nameserver that cannot be used. The message says why, for the log and /healthz. */
export class RefusedAnswer extends Error {
  override readonly name = 'RefusedAnswer'
}

/** An answer with an RCODE other than NOERROR. */
export class ErrorAnswer extends RefusedAnswer {
  constructor(readonly code: number) {
    super(`The primary answers ${rcodeText(code)}.`)
  }
}
