import { Type } from 'typebox'
import { byRule, open } from '../operation.js'
import { tokenNetworksMax, tokenStatuses, tokenUnusedDaysMax, tsigAlgorithms } from '../limits.js'
import { Id, Nullable, Time, TimeOrNull, plainTextPattern } from '../schema.js'
import { allScopes, scopes } from '../scopes.js'
import { GivenRules, TokenRules } from '../areas/token-rule.js'

/** The fields of tokens and of keys that sign DNS messages, in the operations of keys.ts. */

export const notShown = 'The console creates and revokes tokens; its requests are not shown.'

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

export const Key = {
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

export const key = {
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

export const acmeRule = {
  kind: 'zone',
  name: 'example.com',
  hosts: ['_acme-challenge', '_acme-challenge.**'],
  types: ['TXT'],
  access: 'write',
} as const

export const Name = Type.String(
  open(notShown, {
    minLength: 1,
    maxLength: 64,
    ...byRule({ pattern: plainTextPattern }),
    description: 'Purpose of the token; no control or format characters; no other token of the account has this name',
  }),
)

export const GivenScopes = (why: string, minItems: number) =>
  Type.Array(
    Type.Enum([...scopes, allScopes]),
    open(why, { uniqueItems: true, minItems, maxItems: scopes.length + 1, description: 'The scopes of the token' }),
  )

/** When, from where and for which things a token works. A field that is left out keeps its value; in a new token, it does not limit. */
export const Limits = {
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
