import { Type } from 'typebox'
import { added, operation } from '../operation.js'
import { closed, DaysQuery, Id, Nullable, PageData, PageQuery, PathId, Time, TimeOrNull } from '../schema.js'
import { failingField } from './deployment.js'

/** The requests that webhooks have received, and their delivery to the targets. */

const deliveryStates = ['waiting', 'failing', 'delivered', 'given_up'] as const

const Delivery = Type.Object({
  state: Type.Enum([...deliveryStates], {
    description:
      'waiting for the first attempt; failing if the last attempt has failed and another one follows; delivered if the target has answered with a status from 200 to 299; given_up after the last attempt, or if the request is not forwarded',
  }),
  attempts: Type.Integer({ minimum: 0, description: 'How many attempts have begun since it was last forwarded' }),
  attempts_max: Type.Integer({ minimum: 1, description: 'After how many attempts it is given up' }),
  next_attempt_at: TimeOrNull('When the next attempt is due; null if there is none'),
  status: Nullable(Type.Integer(), { description: 'Status of the last answer of the target; null without an answer' }),
  error: Nullable(Type.String(), { description: 'Why the last attempt failed; null if it did not' }),
})

const Request = {
  id: Id('Number of the request among those of the webhook'),
  received_at: Time('When it was received'),
  method: Type.String(),
  path: Type.String({ description: 'What follows the slug in the path, as it was sent' }),
  query: Type.String({ description: 'Query without the question mark, as it was sent' }),
  ip: Type.String({ description: 'Address of the sender' }),
  content_type: Nullable(Type.String(), { description: 'Null if it was not sent' }),
  size: Type.Integer({ minimum: 0, description: 'Stored bytes of the body' }),
  truncated: Type.Boolean({ description: 'Whether the body was longer than the stored part' }),
  delivery: Nullable(Delivery, { description: 'Null if it was received while the webhook had no target' }),
}

const Attempt = Type.Object({
  started_at: Time('When it began'),
  duration_ms: Type.Integer({ minimum: 0, description: 'Milliseconds until the answer or the error' }),
  status: Nullable(Type.Integer(), { description: 'Status of the answer; null without an answer' }),
  error: Nullable(Type.String(), { description: 'Why it failed; null if it did not' }),
  answer: Nullable(Type.String(), {
    description:
      'The first 1 KiB of the body of the answer, with U+FFFD for what is not UTF-8; null without an answer. The target has written it',
  }),
})

const Header = Type.Object({ name: Type.String(), value: Type.String() })

const RequestDetail = Type.Object(
  {
    ...Request,
    headers: Type.Array(Header, { description: 'As they were sent, without Cookie' }),
    body: Type.String({ description: 'As text if it is UTF-8, otherwise in base64' }),
    body_encoding: Type.Enum(['utf-8', 'base64']),
    history: Type.Array(Attempt, {
      description: 'The last 16 attempts, newest first: also those before it was forwarded again',
    }),
  },
  added({}),
)

const example = {
  id: 41,
  received_at: '2026-11-20T09:30:00.000Z',
  method: 'POST',
  path: '/github',
  query: '',
  ip: '192.0.2.10',
  content_type: 'application/json',
  size: 17,
  truncated: false,
  delivery: {
    state: 'failing',
    attempts: 1,
    attempts_max: 8,
    next_attempt_at: '2026-11-20T09:30:05.000Z',
    status: 503,
    error: 'The target answered 503.',
  },
} as const

export const requests = operation({
  id: 'deployments.requests',
  method: 'GET',
  path: '/v1/deployments/{id}/requests',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  summary: 'List the last requests that a webhook has received',
  description: 'At most 100 in a page. Of path and query, the first 200 characters.',
  params: Type.Object({ id: PathId('Id of the webhook') }),
  query: Type.Object({ ...PageQuery, ...DaysQuery }),
  data: Type.Object(
    { requests: Type.Array(Type.Object(Request), { description: 'Newest first' }), ...PageData, failing: failingField },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    query: { limit: 100 },
    data: { requests: [example], next: null, total: 1, failing: { count: 1, since: example.received_at } },
  },
})

export const request = operation({
  id: 'deployments.request',
  method: 'GET',
  path: '/v1/deployments/{id}/requests/{request_id}',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  summary: 'Get a request that a webhook has received, with its headers, its body and the attempts to forward it',
  params: Type.Object({ id: PathId('Id of the webhook'), request_id: PathId('Number of the request') }),
  data: RequestDetail,
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9', request_id: '41' },
    data: {
      ...example,
      headers: [{ name: 'Content-Type', value: 'application/json' }],
      body: '{"action":"push"}',
      body_encoding: 'utf-8',
      history: [
        {
          started_at: '2026-11-20T09:30:00.000Z',
          duration_ms: 184,
          status: 503,
          error: 'The target answered 503.',
          answer: 'Service Unavailable',
        },
      ],
    },
  },
})

export const redeliver = operation({
  id: 'deployments.redeliver',
  method: 'POST',
  path: '/v1/deployments/requests/redeliver',
  access: { anyOf: ['deploy:write'] },
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
  addition: true,
  summary: 'Forward a request of a webhook again',
  body: Type.Object({ id: Id('Id of the webhook'), request_id: Id('Number of the request') }, added(closed)),
  data: Type.Object(
    { id: Id('Id of the webhook'), request_id: Id('Number of the request'), redelivered: Type.Literal(true) },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9, request_id: 41 }, data: { id: 9, request_id: 41, redelivered: true } },
})

export const rotateSecret = operation({
  id: 'deployments.rotateSecret',
  method: 'POST',
  path: '/v1/deployments/rotate-secret',
  access: { anyOf: ['deploy:write'] },
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
  addition: true,
  showsSecrets: true,
  summary: 'Replace the secret that signs the forwarded requests of a webhook',
  body: Type.Object({ id: Id('Id of the webhook') }, added(closed)),
  data: Type.Object(
    { id: Id('Id of the webhook'), secret: Type.String({ description: 'The new secret, for the receiver' }) },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9 }, data: { id: 9, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' } },
})
