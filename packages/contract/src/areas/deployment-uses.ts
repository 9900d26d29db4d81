import { Type } from 'typebox'
import { historyDaysMax } from '../limits.js'
import { added, operation } from '../operation.js'
import { HistoryDay, HistoryDays, PathId, Time } from '../schema.js'

/** The uses of a form, a webhook or a short link, by day and by hour. */

const Failures = Type.Integer({
  minimum: 0,
  description: 'Failed attempts to forward a request; 0 except for webhooks',
})

export const uses = operation({
  id: 'deployments.uses',
  method: 'GET',
  path: '/v1/deployments/{id}/uses',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  summary: 'Show the uses of a deployment by day',
  description: `One entry for each day, the oldest first. Uses of short links are written every second, for the day on which they are written. They are kept for ${String(historyDaysMax)} days.`,
  params: Type.Object({ id: PathId('Id of the deployment') }),
  query: Type.Object({ days: HistoryDays }),
  data: Type.Object(
    {
      days: Type.Array(
        Type.Object({
          day: HistoryDay,
          uses: Type.Integer({ minimum: 0, description: 'Submissions, received requests or redirects of that day' }),
          failures: Failures,
        }),
      ),
    },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    query: { days: 2 },
    data: {
      days: [
        { day: '2026-11-22', uses: 0, failures: 0 },
        { day: '2026-11-23', uses: 12, failures: 2 },
      ],
    },
  },
})

export const recentUses = operation({
  id: 'deployments.recentUses',
  method: 'GET',
  path: '/v1/deployments/{id}/uses/hours',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  summary: 'Show the uses of a deployment in the last 24 hours',
  description: 'One entry for each hour, the oldest first, the current hour included.',
  params: Type.Object({ id: PathId('Id of the deployment') }),
  data: Type.Object(
    {
      hours: Type.Array(
        Type.Object({
          start: Time('When the hour began'),
          uses: Type.Integer({ minimum: 0, description: 'Submissions, received requests or redirects of that hour' }),
          failures: Failures,
          uses_week_before: Type.Integer({ minimum: 0, description: 'Uses in the same hour seven days before' }),
        }),
      ),
    },
    added({}),
  ),
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    data: {
      hours: Array.from({ length: 24 }, (_, hour) => ({
        start: new Date(Date.UTC(2026, 10, 22, 10 + hour)).toISOString(),
        uses: hour,
        failures: 0,
        uses_week_before: 7,
      })),
    },
  },
})
