/** The columns that every table of deliveries has. Times are in milliseconds since the epoch. */
export interface DeliveryColumns {
  account_id: number
  /** Of the target: the number of requests to one host at a time is limited. */
  host: string
  /** Where it stands on its way to the target. */
  state: 'waiting' | 'delivered' | 'failed'
  /**
   * The time of the next attempt; during an attempt, the time after which another process may repeat it. Null in the end, and while the
   * webhook is paused.
   */
  due_at: number | null
  attempts: number
  /** The status of the last answer; null without an answer. */
  last_status: number | null
  /** Why the last attempt failed; null after a success and before the first attempt. */
  last_error: string | null
  /** When the first attempt failed, or when it was not sent because too many waited; null unless it fails. */
  failing_since: number | null
  updated_at: number
}
