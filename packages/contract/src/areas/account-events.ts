import { Type, type Static } from 'typebox'
import { eventAreas, eventTextMaxLength } from '../events.js'
import { actorKinds } from '../limits.js'
import { added, operation } from '../operation.js'
import { Count, idBounds, Nullable, Time } from '../schema.js'

/** The events of an account: what was done, by whom and from where. */

const fields = (description: string) =>
  Nullable(Type.Record(Type.String(), Type.Unknown()), { description: `${description}; null without any` })

const EventActor = Type.Object(
  {
    kind: Type.Enum([...actorKinds], { description: '`session` is the console, `operator` a command of the server' }),
    name: Type.String({ description: 'The name of the token, or the command' }),
    id: Nullable(Type.Integer(), { description: 'The id of the token; null for others' }),
  },
  { description: 'Who did it' },
)

export const AccountEvent = Type.Object({
  id: Type.Integer({ description: 'Grows with the events' }),
  at: Time('When it was done'),
  area: Type.String({ description: 'The area of the thing: `dns`, `files`' }),
  action: Type.String({ description: 'What was done: `zone_change`, `token_create`' }),
  object: Type.String({ description: 'The thing: the name of a zone, a site, a token; may be empty' }),
  actor: EventActor,
  network: Nullable(Type.String(), {
    description: 'The network of the client: `192.0.2.0/24` or `2001:db8:0:1::/64`; null without a request',
  }),
  request_id: Nullable(Type.String(), { description: 'Of the request that did it; null for a command' }),
  serial: Type.Optional(
    Type.Integer({
      description: 'Only of a change of a zone: its serial, by which the history of the zone has all of it',
    }),
  ),
  before: fields('Fields of the thing before'),
  after: fields('The same fields afterwards'),
})

/** For the examples of operations. */
export const exampleEvent = {
  id: 12,
  at: '2026-11-20T09:30:00.000Z',
  area: 'account',
  action: 'token_create',
  object: 'deploy',
  actor: { kind: 'session', name: 'console', id: null },
  network: '203.0.113.0/24',
  request_id: 'req_0123456789abcdef',
  before: null,
  after: { scopes: ['dns:write'] },
} satisfies Static<typeof AccountEvent>

export const eventList = operation({
  id: 'account.eventList',
  method: 'GET',
  path: '/v1/account/events',
  access: { anyOf: ['account:read'] },
  addition: true,
  summary: 'List what was done in the account, newest first',
  description:
    'Each event has who did it, from which network, and some fields before and after it; never a secret. A token with rules sees the events of the things that its rules allow. The list goes back as far as the operator keeps it.',
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Events per page; default 1000' })),
    before: Type.Optional(Type.Integer({ ...idBounds, description: '`next` of the previous page' })),
    area: Type.Optional(Type.Enum([...eventAreas], { description: 'Only events of this area' })),
    object: Type.Optional(
      Type.String({ maxLength: eventTextMaxLength, description: 'Only events of this thing: `example.com`' }),
    ),
    token: Type.Optional(Type.Integer({ ...idBounds, description: 'Only what the token with this id did' })),
  }),
  data: Type.Object(
    {
      events: Type.Array(AccountEvent),
      next: Nullable(Type.Integer(), {
        description: 'Send it as `before` to get the next page; null on the last page',
      }),
      total: Count('Number of events on all pages'),
    },
    added({}),
  ),
  example: { query: { limit: 10 }, data: { events: [exampleEvent], next: null, total: 1 } },
})
