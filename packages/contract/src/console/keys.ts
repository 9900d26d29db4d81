import { Type } from 'typebox'
import { byRule, open, operation } from '../operation.js'
import { Id, Time, TimeOrNull, closed, plainTextPattern } from '../schema.js'
import { allScopes, scopes } from '../scopes.js'

/** Tokens: the Bearer tokens that the console creates and revokes, on its page "API keys" (specification, section 5.2). */

const notShown = 'The console creates and revokes tokens; its requests are not shown.'

const ScopeList = Type.Array(
  Type.Enum([...scopes, allScopes]),
  open(notShown, { description: 'The scopes of the token' }),
)

const Key = {
  id: Id('Id of the token'),
  name: Type.String(open(notShown, { description: 'Purpose of the token; unique in the account' })),
  prefix: Type.String(open(notShown, { description: 'First characters of the token, to identify it' })),
  scopes: ScopeList,
  created_at: Time('When it was created'),
  last_used_at: TimeOrNull('When it was last used, with a precision of one minute'),
}

const key = {
  id: 1,
  name: 'ci',
  prefix: 'svc_5f2a9c',
  scopes: ['dns:write'],
  created_at: '2026-11-20T09:30:00.000Z',
  last_used_at: null,
} as const

export const list = operation({
  id: 'keys.list',
  method: 'GET',
  path: '/console/api/keys',
  access: 'token',
  summary: "List the account's tokens",
  open: notShown,
  data: Type.Object({ keys: Type.Array(Type.Object(Key), open(notShown)) }),
  example: { data: { keys: [key] } },
})

export const create = operation({
  id: 'keys.create',
  method: 'POST',
  path: '/console/api/keys',
  access: 'token',
  summary: 'Create a token; its value is shown only in this answer',
  open: notShown,
  body: Type.Object(
    {
      name: Type.String(
        open(notShown, {
          minLength: 1,
          maxLength: 64,
          ...byRule({ pattern: plainTextPattern }),
          description:
            'Purpose of the token; no control or format characters; no other token of the account has this name',
        }),
      ),
      scopes: Type.Optional(
        Type.Array(
          Type.Enum([...scopes, allScopes]),
          open('A token without a scope gets dns:read (section 5.5).', {
            uniqueItems: true,
            maxItems: scopes.length + 1,
            description: 'The scopes of the token',
          }),
        ),
      ),
    },
    closed,
  ),
  data: Type.Object({
    ...Key,
    token: Type.String(open(notShown, { description: 'The complete token: `svc_` and 32 hexadecimal characters' })),
  }),
  example: {
    body: { name: 'ci', scopes: ['dns:write'] },
    data: { ...key, token: 'svc_5f2a9c0d17e84b36a1c95d20e7f3b648' },
  },
})

export const revoke = operation({
  id: 'keys.revoke',
  method: 'POST',
  path: '/console/api/keys/revoke',
  access: 'token',
  summary: 'Revoke a token',
  open: notShown,
  body: Type.Object({ id: Id('Id of the token') }, closed),
  data: Type.Object({ revoked: Type.Literal(true, open(notShown)) }),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 1 }, data: { revoked: true } },
})
