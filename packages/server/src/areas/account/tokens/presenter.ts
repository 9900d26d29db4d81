import { timestamp } from '../../../shared/timestamp.js'
import type { Token } from './store.js'

/** A token in answers of the API, without its value. */
export const tokenToJson = ({ id, name, prefix, scopes, createdAt, lastUsedAt }: Token) => ({
  id,
  name,
  prefix,
  scopes: [...scopes],
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt === null ? null : timestamp(lastUsedAt),
})
