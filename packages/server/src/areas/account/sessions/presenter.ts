import { timestamp } from '../../../shared/timestamp.js'
import type { Session } from './store.js'

/** A session in answers of the API. */
export const sessionToJson = ({ id, createdAt, lastSeenAt, ip, userAgent }: Session) => ({
  id,
  created_at: timestamp(createdAt),
  last_seen_at: timestamp(lastSeenAt),
  ip,
  user_agent: userAgent,
})
