import { pino, type Logger } from 'pino'
import type { Account } from '../shared/account.js'

/** The fields of a request in the log. */
export interface RequestEntry {
  readonly requestId: string
  /** Undefined if the request could not be parsed. */
  readonly method: string | undefined
  readonly operation: string
  readonly status: number
  readonly ms: number
  /** Null for an unauthenticated request. */
  readonly caller: { readonly account: Pick<Account, 'id'>; readonly tokenId: number | null } | null
}

/** Properties of every logger of pino, which its types do not declare. */
interface Internals {
  /** The start of a line with its level, by the number of the level. */
  readonly [pino.symbols.lsCacheSym]: Readonly<Record<number, string>>
  /** The fields of all lines. */
  readonly [pino.symbols.chindingsSym]: string
  readonly [pino.symbols.timeSym]: () => string
  readonly [pino.symbols.streamSym]: { readonly write: (line: string) => void }
}

/**
 * Writes the line of a request to the log, with the same bytes as `log.info`. Pino looks for serializers and characters to escape
 * in every field, which costs more than most handlers. These fields need neither: Node.js accepts only known methods, and svc
 * forms the others.
 */
export function requestLog(log: Logger): (entry: RequestEntry) => void {
  const {
    [pino.symbols.lsCacheSym]: starts,
    [pino.symbols.timeSym]: time,
    [pino.symbols.chindingsSym]: bindings,
    [pino.symbols.streamSym]: output,
  } = log as Logger & Internals
  const start = starts[pino.levels.values['info'] ?? NaN]
  return ({ requestId, method, operation, status, ms, caller }) => {
    if (!log.isLevelEnabled('info')) return
    const methodField = method === undefined ? '' : `"method":"${method}",`
    const accountField = caller === null ? '' : `,"account_id":${caller.account.id}`
    const tokenId = caller?.tokenId ?? null
    const tokenField = tokenId === null ? '' : `,"token_id":${tokenId}`
    output.write(
      `${start}${time()}${bindings},"request_id":"${requestId}",${methodField}"operation":"${operation}","status":${status},"ms":${ms}${accountField}${tokenField}}\n`,
    )
  }
}
