import type { Account } from '../../http/handler.js'

/** RFC 3339 in UTC with milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()

/** An account as its owner sees it. */
export const userOnTheWire = ({ id, email, nickname, createdAt }: Account) => ({
  id,
  email,
  nickname,
  created_at: timestamp(createdAt),
})
