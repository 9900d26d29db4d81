/** The tables of what webhooks receive and forward (see `Tables`). */
export interface WebhookTables {
  webhook_request: WebhookRequestTable
  webhook_delivery: WebhookDeliveryTable
}

/** A request that a webhook has received. */
export interface WebhookRequestTable {
  deployment_id: number
  /** Grows from 1 in each webhook: the number of its uses at that time. */
  id: number
  received_at: number
  method: string
  /** What follows the slug, as it was sent; empty without. */
  path: string
  /** As it was sent, without the question mark. */
  query: string
  /** Of the client. */
  ip: string
  content_type: string | null
  /** Of the stored body, in bytes. */
  size: number
  /** 1 if the body was longer than the stored part, otherwise 0. */
  truncated: number
  /** JSON array of names and values in turn, as they were sent. */
  headers: string
  body: Buffer
}

/** Where a request of a webhook stands on its way to the target. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed'

/** The delivery of a request to the target of its webhook. */
export interface WebhookDeliveryTable {
  deployment_id: number
  request_id: number
  account_id: number
  /** Of the target: the number of requests to one host at a time is limited. */
  host: string
  state: DeliveryState
  /** The time of the next attempt; during an attempt, the time after which another process may repeat it. Null in the end. */
  due_at: number | null
  attempts: number
  /** The status of the last answer; null without an answer. */
  last_status: number | null
  /** Why the last attempt failed; null after a success and before the first attempt. */
  last_error: string | null
  updated_at: number
}
