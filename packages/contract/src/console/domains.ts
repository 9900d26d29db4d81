import { Type } from 'typebox'
import { Domain, exampleDomain } from '../areas/domains.js'
import { domainNoteMaxLength } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import { ApexName, Id, Time, TimeOrNull, closed, plainTextPattern } from '../schema.js'

/** The domain portfolio in the console: its domains, their notes, and the calendar of their expiry dates. */

const notShown = 'The console adds and removes domains; its requests are not shown.'

export const add = operation({
  id: 'domains.add',
  method: 'POST',
  path: '/console/api/domains/add',
  access: 'token',
  summary: 'Add domains to the portfolio: all of them, or none',
  description:
    'The answer does not wait for the registries: the data of a new domain follows within seconds. A domain that is there already stays unchanged.',
  open: notShown,
  body: Type.Object(
    {
      domains: Type.Array(
        ApexName('An apex domain, such as `example.co.uk`'),
        open(notShown, { minItems: 1, maxItems: 100 }),
      ),
    },
    closed,
  ),
  data: Type.Object({ domains: Type.Array(Domain, open(notShown, { description: 'In the order of the request' })) }),
  example: { body: { domains: ['example.com'] }, data: { domains: [exampleDomain] } },
})

export const remove = operation({
  id: 'domains.remove',
  method: 'POST',
  path: '/console/api/domains/remove',
  access: 'token',
  summary: 'Remove a domain from the portfolio',
  open: notShown,
  body: Type.Object({ id: Id('Id of the domain') }, closed),
  data: Type.Object({ id: Id('Id of the removed domain'), deleted: Type.Literal(true, open(notShown)) }),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 6 }, data: { id: 6, deleted: true } },
})

export const annotate = operation({
  id: 'domains.annotate',
  method: 'POST',
  path: '/console/api/domains/annotate',
  access: 'token',
  summary: 'Set the note of a domain',
  open: notShown,
  body: Type.Object(
    {
      id: Id('Id of the domain'),
      note: Type.String(
        open(notShown, {
          maxLength: domainNoteMaxLength,
          ...byRule({ pattern: plainTextPattern }),
          description: 'One line; an empty text removes the note',
        }),
      ),
    },
    closed,
  ),
  data: Domain,
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 6, note: 'renewed by Ada' }, data: { ...exampleDomain, note: 'renewed by Ada' } },
})

const noCalendar = 'The specification has no calendar of expiry dates.'

const created = '2026-11-20T09:30:00.000Z'

export const calendarGet = operation({
  id: 'domains.calendarGet',
  method: 'GET',
  path: '/console/api/domains/calendar',
  access: 'token',
  summary: 'Show whether the calendar of expiry dates has an address',
  open: noCalendar,
  data: Type.Object({ created_at: TimeOrNull('When the address was created; null without one') }),
  example: { data: { created_at: created } },
})

export const calendarCreate = operation({
  id: 'domains.calendarCreate',
  method: 'POST',
  path: '/console/api/domains/calendar/create',
  access: 'token',
  summary: 'Create the secret address of the calendar; the previous address stops working',
  open: noCalendar,
  data: Type.Object({
    url: Type.String(
      open(noCalendar, {
        format: 'uri',
        description: 'Address for calendar programs, shown only in this answer. It needs no token: keep it secret',
      }),
    ),
    created_at: Time('When the address was created'),
  }),
  example: {
    data: { url: 'http://127.0.0.1:8080/calendar/5f2a9c0d17e84b36a1c95d20e7f3b648.ics', created_at: created },
  },
})

export const calendarDelete = operation({
  id: 'domains.calendarDelete',
  method: 'POST',
  path: '/console/api/domains/calendar/delete',
  access: 'token',
  summary: 'Remove the address of the calendar of expiry dates',
  open: noCalendar,
  data: Type.Object({ deleted: Type.Boolean(open(noCalendar, { description: 'False if there was no address' })) }),
  example: { data: { deleted: true } },
})
