import { isUtf8 } from 'node:buffer'
import { timestamp } from '../../../shared/timestamp.js'
import { attemptsMax } from '../../../ports/outbound/deliveries/attempt.js'
import type { StoredAttempt } from './attempt-store.js'
import type { Failing } from './failing-store.js'
import type { RequestSummary, RequestWithAttempts } from './request-store.js'

/** A received request in the API's answers, without headers and body. */
export const summaryToJson = (row: RequestSummary) => ({
  id: row.id,
  received_at: timestamp(row.received_at),
  method: row.method,
  path: row.path,
  query: row.query,
  ip: row.ip,
  content_type: row.content_type,
  size: row.size,
  truncated: row.truncated === 1,
  delivery: deliveryToJson(row),
})

function deliveryToJson({ state, attempts, due_at, last_status: status, last_error: error }: RequestSummary) {
  if (state === null) return null
  return {
    state: shownState(state, error),
    attempts: attempts ?? 0,
    attempts_max: attemptsMax,
    next_attempt_at: due_at === null ? null : timestamp(due_at),
    status,
    error,
  }
}

type ShownState = 'waiting' | 'failing' | 'delivered' | 'given_up'

/** The state in the database, and whether the last attempt of a waiting delivery has failed. */
function shownState(state: NonNullable<RequestSummary['state']>, error: string | null): ShownState {
  if (state === 'waiting') return error === null ? 'waiting' : 'failing'
  return state === 'failed' ? 'given_up' : state
}

/** The deliveries of a webhook that fail. */
export const failingToJson = (failing: Failing | null) =>
  failing && { count: failing.count, since: timestamp(failing.since) }

const attemptToJson = ({ startedAt, durationMs, status, error, answer }: StoredAttempt) => ({
  started_at: timestamp(startedAt),
  duration_ms: durationMs,
  status,
  error,
  answer,
})

/** The same with headers, body and attempts. */
export function detailToJson({ headers, body, history, ...row }: RequestWithAttempts) {
  const sent = JSON.parse(headers) as string[]
  const encoding = isUtf8(body) ? 'utf-8' : 'base64'
  return {
    ...summaryToJson(row),
    headers: Array.from({ length: sent.length / 2 }, (_, index) => ({
      name: sent[index * 2] ?? '',
      value: sent[index * 2 + 1] ?? '',
    })),
    body: body.toString(encoding),
    body_encoding: encoding,
    history: history.map(attemptToJson),
  } as const
}
