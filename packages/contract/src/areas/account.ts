import { Type } from 'typebox'
import { nicknameMaxLength } from '../limits.js'
import { added, byRule, open, operation } from '../operation.js'
import { Id, Time, idBounds, plainTextPattern } from '../schema.js'
import { allScopes, scopes } from '../scopes.js'
import { TokenRules } from './token-rule.js'

/** The account of a token, its browser sessions and its display name (specification, section 4.3). */

export const User = Type.Object(
  {
    id: Id('Id of the account'),
    email: Type.String({ description: 'Email address for the sign-in' }),
    nickname: Type.String({ description: 'Display name; may be empty' }),
    created_at: Time('When the account was created'),
  },
  open('The fields of `user` are not shown.'),
)

const Session = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: 'Id of the session, for account/sessions/revoke' }),
    created_at: Time('When the browser signed in'),
    last_seen_at: Time('When it was last used, with a precision of one minute'),
    ip: Type.String({ description: 'IP address of the sign-in' }),
    user_agent: Type.String({ description: 'User-Agent of the sign-in' }),
  },
  open('The fields of a session beyond its integer id are not shown.'),
)

export const me = operation({
  id: 'account.me',
  method: 'GET',
  path: '/v1/account/me',
  access: 'token',
  summary: 'Show the account of the token, its scopes and its endpoints',
  data: Type.Object({
    user: User,
    token_scopes: Type.Array(Type.Enum([...scopes, allScopes]), open('The form of `token_scopes` here is not shown.')),
    rules: TokenRules(added({})),
    usable_endpoints: Type.Array(
      Type.Object({ method: Type.String(), path: Type.String() }),
      open('The endpoints that this token may call: method and path, in the order of the catalogue.'),
    ),
  }),
  example: {
    data: {
      user: { id: 1, email: 'ada@example.com', nickname: 'Ada', created_at: '2026-11-20T09:30:00.000Z' },
      token_scopes: ['dns:read'],
      rules: null,
      usable_endpoints: [{ method: 'GET', path: '/v1/account/me' }],
    },
  },
})

export const sessionList = operation({
  id: 'account.sessionList',
  method: 'GET',
  path: '/v1/account/sessions',
  access: { anyOf: ['account:read'] },
  summary: "List the account's browser sessions",
  data: Type.Object({
    sessions: Type.Array(Session, open('Newest first. The fields of a session are not shown.')),
    total: Type.Integer(open('Number of sessions.', { minimum: 0 })),
  }),
  example: {
    data: {
      sessions: [
        {
          id: 3,
          created_at: '2026-11-20T09:30:00.000Z',
          last_seen_at: '2026-11-20T09:41:00.000Z',
          ip: '203.0.113.7',
          user_agent: 'Mozilla/5.0',
        },
      ],
      total: 1,
    },
  },
})

export const sessionRevoke = operation({
  id: 'account.sessionRevoke',
  method: 'POST',
  path: '/v1/account/sessions/revoke',
  access: { anyOf: ['account:write'] },
  summary: 'Sign out one browser session',
  body: Type.Object(
    { id: Type.Integer({ ...byRule(idBounds), description: 'Session id from the sessions list' }) },
    { additionalProperties: false },
  ),
  data: Type.Object({ revoked: Type.Literal(true, open('The type of `revoked` is not shown: always true.')) }),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 3 }, data: { revoked: true } },
})

export const sessionRevokeAll = operation({
  id: 'account.sessionRevokeAll',
  method: 'POST',
  path: '/v1/account/sessions/revoke-all',
  access: { anyOf: ['account:write'] },
  summary: 'Sign out every browser session',
  data: Type.Object({
    revoked: Type.Integer(open('The type of `revoked` is not shown: the number of sessions.', { minimum: 0 })),
  }),
  example: { data: { revoked: 2 } },
})

export const profileUpdate = operation({
  id: 'account.profileUpdate',
  method: 'POST',
  path: '/v1/account/profile',
  access: { anyOf: ['account:write'] },
  summary: 'Set the display name',
  body: Type.Object(
    {
      field: Type.Literal('nickname', { description: 'The field to change: only `nickname`' }),
      value: Type.String({
        ...byRule({ maxLength: nicknameMaxLength, pattern: plainTextPattern }),
        description: `At most ${String(nicknameMaxLength)} characters, without surrounding spaces; leave it empty to remove the name`,
      }),
    },
    { additionalProperties: false },
  ),
  data: Type.Object({ value: Type.String(open('The saved display name, trimmed.')) }),
  example: { body: { field: 'nickname', value: 'Ada' }, data: { value: 'Ada' } },
})

export { eventList } from './account-events.js'
export * from './account-notices.js'
export * from './account-webhooks.js'
