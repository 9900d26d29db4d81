import { Type } from 'typebox'
import { byRule, open, operation } from '../operation.js'
import {
  tokenKeepHoursMax,
  tokenNetworksMax,
  tokenStatuses,
  tokenUnusedDaysMax,
  tsigAlgorithms,
  updatePath,
} from '../limits.js'
import { Id, Nullable, Time, TimeOrNull, closed, plainTextPattern } from '../schema.js'
import { allScopes, scopes } from '../scopes.js'
import { GivenRules, TokenRules } from '../areas/token-rule.js'

/** Tokens: the Bearer tokens that the console creates and revokes, on its page "API keys" (specification, section 5.2). */

const notShown = 'The console creates and revokes tokens; its requests are not shown.'

const ScopeList = Type.Array(
  Type.Enum([...scopes, allScopes]),
  open(notShown, { description: 'The scopes of the token' }),
)

const KeyName = Type.String(
  open(notShown, { description: 'Name of the key in DNS: the id of the token, the installation, and `key`' }),
)

const Algorithm = Type.Enum(
  [...tsigAlgorithms],
  open(notShown, { description: 'Algorithm of the signatures (RFC 8945); the key has no other' }),
)

const Key = {
  id: Id('Id of the token'),
  name: Type.String(open(notShown, { description: 'Purpose of the token; unique in the account' })),
  prefix: Type.String(open(notShown, { description: 'First characters of the token, to identify it' })),
  scopes: ScopeList,
  created_at: Time('When it was created'),
  last_used_at: TimeOrNull('When it was last used, with a precision of one minute'),
  last_used_network: Nullable(
    Type.String(),
    open(notShown, {
      description: 'Network of the client that used it last, such as 192.0.2.0/24; null before the first use',
    }),
  ),
  expires_at: TimeOrNull('It works before this time only; null for no end'),
  unused_days: Nullable(
    Type.Integer(),
    open(notShown, { description: 'It ends after so many days without a use; null for no such end' }),
  ),
  networks: Type.Array(
    Type.String(),
    open(notShown, { description: 'It works from these networks only, in CIDR notation; empty for every network' }),
  ),
  rules: TokenRules(open(notShown)),
  tsig: Nullable(
    Type.Object({ name: KeyName, algorithm: Algorithm }),
    open(notShown, { description: 'The name and algorithm of a key that signs DNS messages; null for a Bearer token' }),
  ),
  has_update_key: Type.Boolean(
    open(notShown, { description: `Whether it has an update key, with which a router sets the address of its host` }),
  ),
  status: Type.Enum(
    [...tokenStatuses],
    open(notShown, {
      description: 'active if it works; paused; expired; unused if it has ended after days without a use',
    }),
  ),
}

const key = {
  id: 1,
  name: 'ci',
  prefix: 'svc_5f2a9c',
  scopes: ['dns:write'],
  created_at: '2026-11-20T09:30:00.000Z',
  last_used_at: null,
  last_used_network: null,
  expires_at: '2027-01-31T00:00:00.000Z',
  unused_days: null,
  networks: ['192.0.2.0/24'],
  rules: null,
  tsig: null,
  has_update_key: false,
  status: 'active',
} as const

const acmeRule = {
  kind: 'zone',
  name: 'example.com',
  hosts: ['_acme-challenge', '_acme-challenge.**'],
  types: ['TXT'],
  access: 'write',
} as const

const Name = Type.String(
  open(notShown, {
    minLength: 1,
    maxLength: 64,
    ...byRule({ pattern: plainTextPattern }),
    description: 'Purpose of the token; no control or format characters; no other token of the account has this name',
  }),
)

const GivenScopes = (why: string, minItems: number) =>
  Type.Array(
    Type.Enum([...scopes, allScopes]),
    open(why, { uniqueItems: true, minItems, maxItems: scopes.length + 1, description: 'The scopes of the token' }),
  )

/** When, from where and for which things a token works. A field that is left out keeps its value; in a new token, it does not limit. */
const Limits = {
  expires_at: Type.Optional(
    Nullable(
      Type.String({ maxLength: 40 }),
      open(notShown, { description: 'It works before this time only, such as 2027-01-31T00:00:00Z; null for no end' }),
    ),
  ),
  unused_days: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, maximum: tokenUnusedDaysMax }),
      open(notShown, { description: 'It ends after so many days without a use; null for no such end' }),
    ),
  ),
  networks: Type.Optional(
    Type.Array(
      Type.String({ maxLength: 64 }),
      open(notShown, {
        maxItems: tokenNetworksMax,
        description: 'It works from these addresses and networks only, such as 192.0.2.0/24; empty for every network',
      }),
    ),
  ),
  rules: Type.Optional(GivenRules(open(notShown))),
}

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
