import { Type } from 'typebox'
import { smsIntakePath, smsSigningKeyMaxLength } from '../limits.js'
import { added, byRule, open, operation } from '../operation.js'
import { closed, Id, idBounds, Nullable, PageData, PageQuery, plainTextPattern, Time, TimeOrNull } from '../schema.js'

/** SMS messages that the account's devices forward, and the keys of these devices (specification, section 4.5). */

const keyFields = 'The fields of a forwarder key are not shown.'

const Key = {
  id: Id('Id of the key'),
  label: Type.String(open(keyFields, { description: 'Purpose of the key' })),
  prefix: Type.String(open(keyFields, { description: 'First characters of the key, to identify it' })),
  created_at: Time('When it was issued'),
  last_used_at: TimeOrNull('When a device last used it, with a precision of one minute'),
  has_signing_key: Type.Boolean(
    open(keyFields, { description: 'Whether only messages that the device has signed are accepted' }),
  ),
}

export const ForwarderKey = Type.Object(Key, open(keyFields))

const TextOrNull = (description: string) => Nullable(Type.String(), { description })

export const Message = Type.Object(
  {
    id: Id('Id of the message'),
    from: Type.String({ description: 'Sender, as reported by the device' }),
    to: TextOrNull('Number of the receiver; null if the device does not report it'),
    body: Type.String({ description: 'Text of the message' }),
    sim: TextOrNull('SIM of the receiver; null if the device does not report it'),
    device: TextOrNull('Name of the device; null if the device does not report it'),
    received_at: Time('When the device received it; if the device does not report it, when the server received it'),
    key_id: Id('Id of the forwarder key, which may be revoked by now'),
  },
  open('The fields of a message are not shown.'),
)

/** The secret that the user enters in the app of the device too. */
const SigningKey = Type.String({
  minLength: 1,
  maxLength: smsSigningKeyMaxLength,
  format: 'password',
  ...byRule({ pattern: plainTextPattern }),
  description:
    'Key with which the device signs: unsigned messages are refused. It is stored encrypted and never shown.',
})

const key = {
  id: 2,
  label: 'Phone at the office',
  prefix: 'k3VbX9wq',
  created_at: '2026-11-20T09:30:00.000Z',
  last_used_at: null,
  has_signing_key: false,
}

export const messageList = operation({
  id: 'sms.messageList',
  method: 'GET',
  path: '/v1/sms/messages',
  access: { anyOf: ['sms:read'] },
  summary: 'List messages forwarded to the account',
  description: 'A page has fewer messages than `limit` if they are long.',
  query: Type.Object(PageQuery),
  data: Type.Object({
    messages: Type.Array(Message, open('Newest first. The fields of a message are not shown.')),
    ...PageData,
  }),
  example: {
    query: { limit: 100 },
    data: {
      messages: [
        {
          id: 41,
          from: '+15550100',
          to: null,
          body: 'Your code is 123456',
          sim: 'SIM1',
          device: 'Pixel 8',
          received_at: '2026-11-20T09:30:00.000Z',
          key_id: 2,
        },
      ],
      next: null,
      total: 1,
    },
  },
})

export const keyList = operation({
  id: 'sms.keyList',
  method: 'GET',
  path: '/v1/sms/keys',
  access: { anyOf: ['sms:read', 'sms:write'] },
  summary: "List the forwarder keys used by the account's devices",
  data: Type.Object({ keys: Type.Array(ForwarderKey, open(keyFields)) }),
  example: { data: { keys: [key] } },
})

export const keyCreate = operation({
  id: 'sms.keyCreate',
  method: 'POST',
  path: '/v1/sms/keys',
  access: { anyOf: ['sms:write'] },
  summary: 'Issue a forwarder key; at most five at a time',
  description: `Devices post their messages to \`${smsIntakePath('<key>')}\`. The key is shown only in this answer.`,
  body: Type.Object(
    {
      label: Type.String({
        minLength: 1,
        maxLength: 64,
        ...byRule({ pattern: plainTextPattern }),
        description: 'Purpose of the key; no control or format characters',
      }),
      signing_key: Type.Optional(SigningKey),
    },
    open('The body of this request is not shown.', closed),
  ),
  data: Type.Object({ ...Key, key: Type.String(open(keyFields, { description: 'The complete key' })) }),
  example: { body: { label: 'Phone at the office' }, data: { ...key, key: 'k3VbX9wq2LmZ7aTrPs5dYc8nHf4gJuEx' } },
})

export const keyRevoke = operation({
  id: 'sms.keyRevoke',
  method: 'DELETE',
  path: '/v1/sms/keys',
  access: { anyOf: ['sms:write'] },
  summary: 'Revoke a forwarder key',
  query: Type.Object({
    id: Type.Integer(
      open('The parameter is not shown: the id of the key in the query.', {
        ...idBounds,
        description: 'Id of the key',
      }),
    ),
  }),
  data: Type.Object(
    { id: Id('Id of the revoked key'), revoked: Type.Literal(true) },
    open('The answer is not shown: the id and `revoked`.'),
  ),
  errors: ['not_found', 'forbidden'],
  example: { query: { id: 2 }, data: { id: 2, revoked: true } },
})

export const signingKeySet = operation({
  id: 'sms.signingKeySet',
  method: 'POST',
  path: '/v1/sms/keys/signing-key',
  access: { anyOf: ['sms:write'] },
  addition: true,
  summary: 'Set or remove the signing key of a forwarder key',
  description: 'With a signing key, messages without a valid signature are refused with 401.',
  body: Type.Object(
    {
      id: Id('Id of the forwarder key'),
      signing_key: Nullable(SigningKey, { description: 'The signing key of the device; null removes it' }),
    },
    added(closed),
  ),
  data: Type.Object(
    {
      id: Id('Id of the forwarder key'),
      has_signing_key: Type.Boolean({ description: 'Whether only signed messages are accepted' }),
    },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 2, signing_key: 'k8Yz2QpW' }, data: { id: 2, has_signing_key: true } },
})
