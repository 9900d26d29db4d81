import { isUtf8 } from 'node:buffer'
import { timestamp } from '../../../shared/timestamp.js'
import type { RequestDetail, RequestSummary } from './request-store.js'

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
  return { state, attempts: attempts ?? 0, next_attempt_at: due_at === null ? null : timestamp(due_at), status, error }
}

/** The same with headers and body. */
export function detailToJson({ headers, body, ...row }: RequestDetail) {
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
  } as const
}
