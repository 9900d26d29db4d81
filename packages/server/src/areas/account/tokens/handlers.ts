import { defaultScopes, type ConsoleAreas } from '@svc/contract'
import type { Handlers } from '../../../http/handler.js'
import { refuseInvisible } from '../accounts/nickname.js'
import type { Token, TokenStore } from './store.js'
import { timestamp } from '../../../shared/timestamp.js'

/** API keys, as the console makes and revokes them (specification, section 5.2). */
export const keyHandlers = (tokens: TokenStore): Handlers<ConsoleAreas['keys']> => ({
  async list(_input, { account }) {
    return { keys: (await tokens.list(account)).map(keyOnTheWire) }
  },

  async create({ body }, { account }) {
    refuseInvisible('name', body.name)
    const scopes = body.scopes?.length ? body.scopes : defaultScopes
    const made = await tokens.create(account, body.name, scopes)
    return { ...keyOnTheWire(made), token: made.token }
  },

  async revoke({ body }, { account }) {
    await tokens.revoke(account, body.id)
    return { revoked: true }
  },
})

const keyOnTheWire = ({ id, name, prefix, scopes, createdAt, lastUsedAt }: Token) => ({
  id,
  name,
  prefix,
  scopes: [...scopes],
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt === null ? null : timestamp(lastUsedAt),
})
