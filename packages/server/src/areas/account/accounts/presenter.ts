import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'

/** An account as its owner sees it. */
export const userOnTheWire = ({ id, email, nickname, createdAt }: Account) => ({
  id,
  email,
  nickname,
  created_at: timestamp(createdAt),
})
