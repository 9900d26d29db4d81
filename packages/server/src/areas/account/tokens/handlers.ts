import { defaultScopes, type ConsoleAreas } from '@svc/contract'
import { longList } from '../../../http/answer.js'
import type { Handlers } from '../../../http/handler.js'
import { refuseInvisible } from '../../../shared/visible-text.js'
import { tokenToJson } from './presenter.js'
import type { TokenStore } from './store.js'

/** Tokens: the page "API keys" of the console (specification, section 5.2). */
export const keyHandlers = (tokens: TokenStore): Handlers<ConsoleAreas['keys']> => ({
  list: (_input, { account }) =>
    longList('{"keys":[', tokens.list(account), (token) => JSON.stringify(tokenToJson(token))),

  async create({ body }, { account }) {
    refuseInvisible('name', body.name)
    const scopes = body.scopes?.length ? body.scopes : defaultScopes
    const created = await tokens.create(account, body.name, scopes)
    return { ...tokenToJson(created), token: created.token }
  },

  async revoke({ body }, { account }) {
    await tokens.revoke(account, body.id)
    return { revoked: true }
  },
})
