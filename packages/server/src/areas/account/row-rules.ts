import { badRequest } from '@svc/contract/errors'
import { id, nullable, text, time, bytes } from '../../db/columns.js'
import type { RowRule } from '../../db/row-rules.js'
import { refuseInvisible } from '../../shared/visible-text.js'
import { normalEmail } from './accounts/email.js'
import { checkNickname } from './accounts/nickname.js'
import { isPasswordHash } from './accounts/passwords.js'

const account: RowRule<'account'> = {
  columns: { id, email: text(254), nickname: text(64 * 2), password_hash: text(256), created_at: time },
  check: ({ email, nickname, password_hash: hash }) => {
    if (normalEmail(email) !== email) throw badRequest('email', 'must be in lower case, without spaces at its ends')
    if (checkNickname(nickname, 'nickname') !== nickname) throw badRequest('nickname', 'has spaces at its ends')
    if (!isPasswordHash(hash))
      throw badRequest('password_hash', 'must be a hash of argon2id with at most 64 MiB, 4 passes and 4 lanes')
  },
}

const token: RowRule<'token'> = {
  columns: {
    ...{ id, account_id: id, name: text(64 * 2), prefix: text(16, /^svc_[0-9a-f]+$/), hash: bytes(32) },
    ...{ scopes: text(1000), created_at: time, last_used_at: nullable(time) },
  },
  request: ({ name, scopes }) => ({ operation: 'keys.create', body: { name, scopes: scopes.split(' ') } }),
  check: ({ name }) => refuseInvisible('name', name),
}

export const accountRowRules = { account, token }
