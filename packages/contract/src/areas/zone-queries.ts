import { Type } from 'typebox'
import { historyDaysMax } from '../limits.js'
import { added, operation } from '../operation.js'
import { Count, HistoryDay, HistoryDays, Time } from '../schema.js'
import { zone, ZonePath } from './dns-zone.js'

/** What the nameserver has answered for a zone. */

const counts = Type.Object({
  answers: Count('Queries that were answered with records'),
  no_data: Count('Queries for a name that exists, but not with this type'),
  nxdomain: Count('Queries for a name that does not exist'),
  referrals: Count('Queries that were referred to the nameservers of a delegated subdomain'),
  truncated: Count('Answers that were too long for UDP: the resolver asks again over TCP'),
  limited: Count('Queries beyond the rate limit of a network; counted at every second one, which is read'),
  refused: Count('Transfers and updates that were refused'),
  transfers: Count('Transfers of the zone (AXFR and IXFR)'),
  updates: Count('Dynamic updates (RFC 2136)'),
})

const none = {
  ...{ answers: 0, no_data: 0, nxdomain: 0, referrals: 0, truncated: 0, limited: 0 },
  ...{ refused: 0, transfers: 0, updates: 0 },
}

export const zoneQueries = operation({
  id: 'dns.zoneQueries',
  method: 'GET',
  path: '/v1/dns/zones/{zone}/queries',
  access: { anyOf: ['dns:read'] },
  touches: { kind: 'zone', access: 'read', by: 'params.zone' },
  addition: true,
  summary: 'Count the queries for a zone by day and hour',
  description: `One entry for each day and for each of the last 24 hours, the oldest first, over all servers. Each message is counted once, by its outcome. Counts are written once a minute, for the hour in which they are written, and kept for ${String(historyDaysMax)} days; they begin again with each holder of the zone.`,
  params: ZonePath,
  query: Type.Object({ days: HistoryDays }),
  data: Type.Object(
    {
      zone,
      counted_by: Type.Enum(['svc', 'powerdns'], {
        description:
          '`powerdns` if it serves the zones: the figures are then its own, from its API and metrics, and the lists here are empty',
      }),
      days: Type.Array(Type.Object({ day: HistoryDay, counts })),
      hours: Type.Array(
        Type.Object({
          start: Time('When the hour began'),
          counts,
          week_before: Count('All queries in the same hour seven days before'),
        }),
      ),
    },
    added({}),
  ),
  errors: ['forbidden_zone'],
  example: {
    params: { zone: 'example.com' },
    query: { days: 1 },
    data: {
      zone: 'example.com',
      counted_by: 'svc',
      days: [{ day: '2026-11-23', counts: { ...none, answers: 4210, nxdomain: 12 } }],
      hours: [{ start: '2026-11-23T09:00:00.000Z', counts: { ...none, answers: 180 }, week_before: 174 }],
    },
  },
})
