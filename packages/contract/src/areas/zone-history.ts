import { Type } from 'typebox'
import { actorKinds, recordTypes } from '../limits.js'
import { added, byRule, operation } from '../operation.js'
import { closed, Count, idBounds, Nullable, Time } from '../schema.js'
import { recordHost } from './dns-record.js'
import { zone, ZonePath, ZoneStep } from './dns-zone.js'

/** The history of a zone: its changes, the zone as it was, and the way back. */

const serialMax = 0xffff_ffff
const serial = (description: string) => Type.Integer({ minimum: 0, maximum: serialMax, description })

/** Records of one host and type. */
const HistorySet = Type.Object({
  host: Type.String({ description: 'Name without the zone; `@` for the zone itself' }),
  type: Type.Enum([...recordTypes]),
  ttl: Type.Integer({ description: 'Seconds' }),
  values: Type.Array(Type.String(), { description: 'In canonical form; those of MX and SRV begin with the priority' }),
})

const changedSets = (description: string) => Type.Array(HistorySet, { description })

const difference = {
  removed: changedSets('Values that the change removed; those that stay are not listed'),
  added: changedSets('Values that it added. A value with another ttl is in both lists'),
}

const Change = Type.Object({
  serial: serial('The serial that the change gave to the zone'),
  at: Time('When it was made'),
  action: Type.Optional(
    Type.Enum(['claim', 'release', 'lost', 'delete'], {
      description:
        "Only of a change of the right to the zone: `claim` verified it for the account, `release` ended the claim, `lost` gave the zone to another account, `delete` is the operator's deletion",
    }),
  ),
  actor: Type.Object(
    {
      kind: Type.Enum([...actorKinds], { description: '`session` is the console, `operator` a command of the server' }),
      name: Type.String({ description: 'The name of the token, or the command' }),
      id: Nullable(Type.Integer(), { description: 'The id of the token; null for others' }),
    },
    { description: 'Who made it' },
  ),
  request_id: Nullable(Type.String(), { description: 'Of the request that made it; null for a command' }),
  ...difference,
})

const change = {
  serial: 1795858202,
  at: '2026-11-20T09:30:00.000Z',
  actor: { kind: 'token', name: 'deploy', id: 7 },
  request_id: 'req_0123456789abcdef',
  removed: [{ host: 'www', type: 'A', ttl: 3600, values: ['192.0.2.1'] }],
  added: [{ host: 'www', type: 'A', ttl: 3600, values: ['192.0.2.7'] }],
} as const

export const historyList = operation({
  id: 'dns.historyList',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/history',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  addition: true,
  summary: 'List the changes of a verified zone, newest first',
  description:
    'Each change has the values that it removed and added, and who made it. The list has the changes of this account; those of an earlier holder are not shown. It goes back as far as the operator keeps it.',
  params: ZonePath,
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Changes per page; default 1000' })),
    before: Type.Optional(Type.Integer({ ...idBounds, description: '`next` of the previous page: a serial' })),
    host: Type.Optional(
      Type.String({ ...recordHost, description: 'Only changes at this host: `www`, or `@` for the zone itself' }),
    ),
    type: Type.Optional(Type.Enum([...recordTypes], { description: 'Only changes of this type' })),
  }),
  data: Type.Object(
    {
      zone,
      changes: Type.Array(Change, { description: 'With `host` or `type`, only the values that they select' }),
      next: Nullable(Type.Integer(), {
        description: 'Send it as `before` to get the next page; null on the last page',
      }),
      total: Count('Number of changes on all pages'),
    },
    added({}),
  ),
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    query: { limit: 10 },
    data: { zone: 'example.com', changes: [change], next: null, total: 1 },
  },
})

export const historyGet = operation({
  id: 'dns.historyGet',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/history/{serial}',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  addition: true,
  summary: 'Show a verified zone as it was at a serial',
  description:
    'Also at the serial before the oldest change of the history. 404 for a serial before that, one that the zone has not reached, and one at which the account did not hold the zone. The SOA and NS records of the zone itself are left out.',
  params: Type.Object({
    zone: ZoneStep,
    serial: Type.String({
      ...byRule({ pattern: '^[1-9][0-9]{0,9}$' }),
      description: 'A serial; any other text answers 404',
    }),
  }),
  data: Type.Object(
    { zone, serial: serial('The given serial'), rrsets: Type.Array(HistorySet, { description: 'All records' }) },
    added({}),
  ),
  errors: ['forbidden_zone', 'not_found'],
  example: {
    params: { zone: 'example.com', serial: '1795858202' },
    data: { zone: 'example.com', serial: change.serial, rrsets: change.added },
  },
})

export const historyRevert = operation({
  id: 'dns.historyRevert',
  method: 'POST',
  path: '/v1/dns/zones/{zone}/history/revert',
  access: { anyOf: ['dns:write'] },
  touches: { kind: 'zone', access: 'write', by: 'params.zone' },
  addition: true,
  summary: 'Take back one change of a zone, or all since a serial',
  description:
    'A revert is a change like others, with the same checks and one new serial, and can be taken back itself. `serial` takes back one change, while the records that it touched are as it left them: if a later change has replaced one, the answer is 400 and nothing changes. `to` makes the whole zone what it was at a serial.',
  params: ZonePath,
  body: Type.Object(
    {
      serial: Type.Optional(serial('Take back this change')),
      to: Type.Optional(serial('Instead: make the zone what it was at this serial')),
      if_serial: Type.Optional(serial('Only if the zone still has this serial, which a dry run answers')),
      dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only answer what would change' })),
    },
    added(closed),
  ),
  data: Type.Object(
    { zone, serial: serial('The serial of the zone now; after a dry run, the old one'), ...difference },
    added({}),
  ),
  errors: ['forbidden_zone', 'not_found', 'upstream_error'],
  example: {
    params: { zone: 'example.com' },
    body: { serial: change.serial },
    data: { zone: 'example.com', serial: change.serial + 1, removed: change.added, added: change.removed },
  },
})
