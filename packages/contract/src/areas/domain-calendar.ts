import { Type } from 'typebox'
import { added, operation } from '../operation.js'
import { Time, TimeOrNull } from '../schema.js'

/** The calendar of the expiry dates of the portfolio. */

const created_at = '2026-11-20T09:30:00.000Z'

export const calendarGet = operation({
  id: 'domains.calendarGet',
  method: 'GET',
  path: '/v1/domains/calendar',
  access: { anyOf: ['domain:read', 'domain:write'] },
  addition: true,
  summary: 'Show whether the calendar of expiry dates has an address',
  data: Type.Object({ created_at: TimeOrNull('When the address was created; null without one') }, added({})),
  example: { data: { created_at } },
})

export const calendarCreate = operation({
  id: 'domains.calendarCreate',
  method: 'POST',
  path: '/v1/domains/calendar/create',
  access: { anyOf: ['domain:write'] },
  addition: true,
  summary: 'Create the secret address of the calendar; the previous address stops working',
  data: Type.Object(
    {
      url: Type.String({
        format: 'uri',
        description: 'Address for calendar programs, shown only in this answer. It needs no token: keep it secret',
      }),
      created_at: Time('When the address was created'),
    },
    added({}),
  ),
  example: { data: { url: 'http://127.0.0.1:8080/calendar/5f2a9c0d17e84b36a1c95d20e7f3b648.ics', created_at } },
})

export const calendarDelete = operation({
  id: 'domains.calendarDelete',
  method: 'POST',
  path: '/v1/domains/calendar/delete',
  access: { anyOf: ['domain:write'] },
  addition: true,
  summary: 'Remove the address of the calendar of expiry dates',
  data: Type.Object({ deleted: Type.Boolean({ description: 'False if there was no address' }) }, added({})),
  example: { data: { deleted: true } },
})
