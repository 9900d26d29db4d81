import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { tokenKeepHoursMax, tsigAlgorithms, updatePath } from '../limits.js'
import { Id, Nullable, closed } from '../schema.js'
import { notShown, Key, key, acmeRule, Name, GivenScopes, Limits } from './key-fields.js'

/** Tokens: the Bearer tokens that the console creates and revokes, on its page "API keys" (specification, section 5.2). */

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

const KeyWithValue = Type.Object({
  ...Key,
  token: Type.String(open(notShown, { description: 'The complete token: `svc_` and 32 hexadecimal characters' })),
  update_key: Nullable(
    Type.String(),
    open(notShown, {
      description: `A router sets the address of the host with GET \`${updatePath('<key>')}\`; null for a token without an update key`,
    }),
  ),
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
      name: Name,
      scopes: Type.Optional(GivenScopes('A token without a scope gets dns:read (section 5.5).', 0)),
      ...Limits,
      update_key: Type.Optional(
        Type.Boolean(
          open(notShown, {
            default: false,
            description: `Whether it gets an update key too, for routers: it needs dns:write, and one rule of a zone with one host`,
          }),
        ),
      ),
    },
    closed,
  ),
  data: KeyWithValue,
  example: {
    body: {
      name: 'ci',
      scopes: ['dns:write'],
      expires_at: '2127-01-31T00:00:00Z',
      unused_days: 90,
      networks: ['127.0.0.0/8', '::1'],
      rules: [{ ...acmeRule, name: 'Example.com' }],
    },
    data: {
      ...key,
      expires_at: '2127-01-31T00:00:00.000Z',
      unused_days: 90,
      networks: ['127.0.0.0/8', '::1/128'],
      rules: [acmeRule],
      token: 'svc_5f2a9c0d17e84b36a1c95d20e7f3b648',
      update_key: null,
    },
  },
})

export const createTsig = operation({
  id: 'keys.createTsig',
  method: 'POST',
  path: '/console/api/keys/tsig',
  access: 'token',
  summary: 'Create a token that signs DNS messages (TSIG); its secret is shown only in this answer',
  description: 'It works in DNS only, for updates and transfers (RFC 2136, RFC 5936), not as a Bearer token.',
  open: notShown,
  body: Type.Object(
    {
      name: Name,
      scopes: Type.Optional(GivenScopes('A token without a scope gets dns:read (section 5.5).', 0)),
      algorithm: Type.Optional(
        Type.Enum(
          [...tsigAlgorithms],
          open(notShown, { default: tsigAlgorithms[0], description: 'Algorithm of the signatures (RFC 8945)' }),
        ),
      ),
      ...Limits,
    },
    closed,
  ),
  data: Type.Object({
    ...Key,
    secret: Type.String(open(notShown, { description: 'The secret of the key, in Base64' })),
  }),
  example: {
    body: {
      name: 'nsupdate',
      scopes: ['dns:write'],
      algorithm: 'hmac-sha256',
      networks: ['127.0.0.0/8'],
      rules: [{ ...acmeRule, name: 'Example.com' }],
    },
    data: {
      ...key,
      name: 'nsupdate',
      prefix: 'tsig',
      expires_at: null,
      networks: ['127.0.0.0/8'],
      rules: [acmeRule],
      tsig: { name: '1.0f8a36c14e5b92d7.key', algorithm: 'hmac-sha256' },
      secret: 'bmV2ZXIgdXNlIHRoaXMgc2VjcmV0LCBwbGVhc2UhISE=',
    },
  },
})

export const update = operation({
  id: 'keys.update',
  method: 'POST',
  path: '/console/api/keys/update',
  access: 'token',
  summary: 'Change the name, the scopes and the limits of a token',
  description: 'From the next request on. A field that is left out keeps its value.',
  open: notShown,
  body: Type.Object(
    {
      id: Id('Id of the token'),
      name: Type.Optional(Name),
      scopes: Type.Optional(GivenScopes(notShown, 1)),
      ...Limits,
      paused: Type.Optional(Type.Boolean(open(notShown, { description: 'Whether the token is paused' }))),
    },
    closed,
  ),
  data: Type.Object(Key, open(notShown)),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 1, paused: true }, data: { ...key, status: 'paused' } },
})

export const rotate = operation({
  id: 'keys.rotate',
  method: 'POST',
  path: '/console/api/keys/rotate',
  access: 'token',
  summary: 'Give a token a new value, which is shown only in this answer',
  description:
    'Its id, name, scopes and limits stay. The value before ends at once, unless it is kept for some hours. An update key is replaced too.',
  open: notShown,
  body: Type.Object(
    {
      id: Id('Id of the token'),
      keep: Type.Optional(
        Type.Integer(
          open(notShown, {
            minimum: 0,
            maximum: tokenKeepHoursMax,
            default: 0,
            description: 'For how many hours the value before still works',
          }),
        ),
      ),
    },
    closed,
  ),
  data: KeyWithValue,
  errors: ['not_found', 'forbidden'],
  example: {
    body: { id: 1, keep: 24 },
    data: { ...key, token: 'svc_5f2a9c0d17e84b36a1c95d20e7f3b648', update_key: null },
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

export const revokeAll = operation({
  id: 'keys.revokeAll',
  method: 'POST',
  path: '/console/api/keys/revoke-all',
  access: 'token',
  summary: 'Revoke all tokens of the account',
  open: notShown,
  data: Type.Object({
    revoked: Type.Integer(open(notShown, { minimum: 0, description: 'Number of tokens that were revoked' })),
  }),
  example: { data: { revoked: 3 } },
})
