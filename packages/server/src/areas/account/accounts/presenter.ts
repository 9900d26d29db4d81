import type { Account } from '../../../shared/account.js'
import { timestamp } from '../../../shared/timestamp.js'

/** An account in answers of the API to its owner. */
export const userToJson = ({ id, email, nickname, createdAt }: Account) => ({
  id,
  email,
  nickname,
  created_at: timestamp(createdAt),
})
