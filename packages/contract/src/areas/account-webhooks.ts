import { Type } from 'typebox'
import { eventWebhooksMax, eventsWaitingMax, webhookUrlMaxLength } from '../limits.js'
import { added, byRule, operation } from '../operation.js'
import { closed, Count, Id, idBounds, Nullable, Time, TimeOrNull } from '../schema.js'

/** Where the events of an account are sent. */

const errors = ['not_found', 'forbidden'] as const

const Url = Type.String({
  ...byRule({ maxLength: webhookUrlMaxLength, pattern: '^https?://.+$' }),
  description: 'Gets a POST for each event; a URL of http or https that leads to a public address',
})

const Events = Type.Array(Type.String({ ...byRule({ pattern: String.raw`^[a-z]+(\.[a-z_]+)?$` }) }), {
  maxItems: 100,
  description: 'Areas and actions that are sent: `dns`, `account.token_create`; empty for all events',
})

const Secret = Type.String({ description: 'Signs the requests, as in Standard Webhooks. It is not shown again' })

const fields = {
  id: Id('Id of the webhook'),
  url: Type.String({ description: 'Where events are sent' }),
  events: Type.Array(Type.String(), { description: 'Areas and actions that are sent; empty for all' }),
  enabled: Type.Boolean({ description: 'False while it is paused: events wait' }),
  created_at: Time('When it was created'),
  waiting: Count('Events that wait for their delivery'),
  dropped: Count('Events that were not sent because too many waited, since the webhook was created'),
  failing_since: TimeOrNull('When the first delivery failed that has not succeeded since; null if none fails'),
}

const Webhook = Type.Object(fields, added({}))

const exampleWebhook = {
  id: 4,
  url: 'https://hooks.example.com/svc',
  events: ['dns', 'account.token_create'],
  enabled: true,
  created_at: '2026-11-20T09:30:00.000Z',
  waiting: 0,
  dropped: 0,
  failing_since: null,
}

const exampleSecret = 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY='

/** A webhook gets all events, also those that the rules of a token hide. */
const refusesRules = 'the webhooks of the account'

export const webhookList = operation({
  id: 'account.webhookList',
  method: 'GET',
  path: '/v1/account/webhooks',
  access: { anyOf: ['account:read'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'List the webhooks that get the events of the account',
  data: Type.Object({ webhooks: Type.Array(Type.Object(fields)), total: Count('Number of webhooks') }, added({})),
  example: { data: { webhooks: [exampleWebhook], total: 1 } },
})

export const webhookCreate = operation({
  id: 'account.webhookCreate',
  method: 'POST',
  path: '/v1/account/webhooks',
  access: { anyOf: ['account:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Send the events of the account to a URL',
  description: `Each event is a POST with the JSON that \`GET /v1/account/events\` has for it, signed with the secret of the answer. A failed delivery is repeated for 17 hours. An account has at most ${String(eventWebhooksMax)} webhooks, and ${String(eventsWaitingMax)} events wait for each; beyond that, the oldest are dropped. A token with rules cannot use webhooks, because they get all events.`,
  body: Type.Object({ url: Url, events: Type.Optional(Events) }, added(closed)),
  data: Type.Object({ webhook: Type.Object(fields), secret: Secret }, added({})),
  example: {
    body: { url: exampleWebhook.url, events: exampleWebhook.events },
    data: { webhook: exampleWebhook, secret: exampleSecret },
  },
})

export const webhookUpdate = operation({
  id: 'account.webhookUpdate',
  method: 'POST',
  path: '/v1/account/webhooks/update',
  access: { anyOf: ['account:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Change, pause or resume a webhook, or replace its secret',
  body: Type.Object(
    {
      id: Id('Id of the webhook'),
      url: Type.Optional(Url),
      events: Type.Optional(Events),
      enabled: Type.Optional(Type.Boolean({ description: 'False to pause it: its events wait' })),
      new_secret: Type.Optional(Type.Boolean({ description: 'True to replace the secret' })),
    },
    added(closed),
  ),
  data: Type.Object(
    {
      webhook: Type.Object(fields),
      secret: Nullable(Secret, { description: 'The new secret, which is not shown again; null if it is not replaced' }),
    },
    added({}),
  ),
  errors,
  example: { body: { id: 4, enabled: false }, data: { webhook: { ...exampleWebhook, enabled: false }, secret: null } },
})

export const webhookDelete = operation({
  id: 'account.webhookDelete',
  method: 'POST',
  path: '/v1/account/webhooks/delete',
  access: { anyOf: ['account:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Delete a webhook and what waits for it',
  body: Type.Object({ id: Id('Id of the webhook') }, added(closed)),
  data: Type.Object({ id: Id('Id of the deleted webhook'), deleted: Type.Literal(true) }, added({})),
  errors,
  example: { body: { id: 4 }, data: { id: 4, deleted: true } },
})

export const webhookTest = operation({
  id: 'account.webhookTest',
  method: 'POST',
  path: '/v1/account/webhooks/test',
  access: { anyOf: ['account:write'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'Send a test to a webhook',
  description:
    'The test is an event of the account with the action `webhook_test`. This webhook gets it whatever events it has chosen; see its deliveries for the result.',
  body: Type.Object({ id: Id('Id of the webhook') }, added(closed)),
  data: Webhook,
  errors,
  example: { body: { id: 4 }, data: { ...exampleWebhook, waiting: 1 } },
})

const Delivery = Type.Object({
  event_id: Id('Id of the event'),
  area: Nullable(Type.String(), {
    description: 'Area of the event; null, like the next two, if it is not kept any more',
  }),
  action: Nullable(Type.String(), { description: 'What was done' }),
  object: Nullable(Type.String(), { description: 'The thing' }),
  state: Type.Enum(['waiting', 'failing', 'delivered', 'given_up'], {
    description:
      'waiting for the first attempt; failing if the last attempt has failed and another one follows; delivered if the target has answered with a status from 200 to 299; given_up after the last attempt',
  }),
  attempts: Count('How many attempts have begun'),
  attempts_max: Type.Integer({ minimum: 1, description: 'After how many attempts it is given up' }),
  next_attempt_at: TimeOrNull('When the next attempt is due; null if there is none, and while the webhook is paused'),
  status: Nullable(Type.Integer(), { description: 'Status of the last answer of the target; null without an answer' }),
  error: Nullable(Type.String(), { description: 'Why the last attempt failed; null if it did not' }),
  answer: Nullable(Type.String(), {
    description: 'The first 1 KiB of the body of the last answer, written by the target; null without an answer',
  }),
  updated_at: Time('When it was added, or its last attempt ended'),
})

export const webhookDeliveries = operation({
  id: 'account.webhookDeliveries',
  method: 'GET',
  path: '/v1/account/webhooks/deliveries',
  access: { anyOf: ['account:read'] },
  addition: true,
  forPeople: true,
  refusesRules,
  summary: 'List the last 100 deliveries of a webhook, newest first',
  query: Type.Object({ id: Type.Integer({ ...idBounds, description: 'Id of the webhook' }) }),
  data: Type.Object({ deliveries: Type.Array(Delivery) }, added({})),
  errors,
  example: {
    query: { id: 4 },
    data: {
      deliveries: [
        {
          event_id: 1206,
          area: 'dns',
          action: 'zone_change',
          object: 'example.com',
          state: 'delivered',
          attempts: 1,
          attempts_max: 8,
          next_attempt_at: null,
          status: 204,
          error: null,
          answer: '',
          updated_at: '2026-11-20T09:30:00.000Z',
        },
      ],
    },
  },
})
