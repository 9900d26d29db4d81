import { Type } from 'typebox'
import { added, operation } from '../operation.js'
import { closed, DaysQuery, Id, Nullable, PageData, PageQuery, PathId, Time } from '../schema.js'

/** The submissions of forms. */

const Submission = Type.Object({
  id: Id('Number of the submission in its form'),
  received_at: Time('When it was received'),
  network: Type.String({ description: 'Network of the client, such as 192.0.2.0/24; its address is not stored' }),
  user_agent: Type.String({ description: 'User-Agent of the client; empty if unknown' }),
  subject: Nullable(Type.String(), { description: 'The field `_subject`; null without it' }),
  fields: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
    description: 'The fields by name; a list for a field that was sent more than once',
  }),
})

const formId = { id: PathId('Id of the form') }

export const submissions = operation({
  id: 'deployments.submissions',
  method: 'GET',
  path: '/v1/deployments/{id}/submissions',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  summary: 'List the submissions of a form, newest first',
  description: 'A page has at most 100 submissions, and fewer if they are long. A form keeps its last 10,000.',
  params: Type.Object(formId),
  query: Type.Object({ ...PageQuery, ...DaysQuery }),
  data: Type.Object({ submissions: Type.Array(Submission), ...PageData }, added({})),
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    query: { limit: 20 },
    data: {
      submissions: [
        {
          id: 1,
          received_at: '2026-11-20T09:30:00.000Z',
          network: '192.0.2.0/24',
          user_agent: 'Mozilla/5.0',
          subject: null,
          fields: { email: 'ada@example.com', topic: ['sales', 'support'] },
        },
      ],
      next: null,
      total: 1,
    },
  },
})

export const submissionsExport = operation({
  id: 'deployments.submissionsExport',
  method: 'GET',
  path: '/v1/deployments/{id}/submissions/export',
  access: { anyOf: ['deploy:read', 'deploy:write'] },
  touches: { kind: 'deployment', access: 'read', by: 'params.id' },
  addition: true,
  kind: 'stream',
  summary: 'Download the submissions of a form as CSV',
  description:
    'UTF-8 with a byte order mark, one column for each field. An apostrophe precedes values that a spreadsheet would run as a formula.',
  params: Type.Object(formId),
  produces: ['text/csv'],
  errors: ['not_found', 'forbidden'],
  example: { params: { id: '9' } },
})

export const submissionDelete = operation({
  id: 'deployments.submissionDelete',
  method: 'POST',
  path: '/v1/deployments/submissions/delete',
  access: { anyOf: ['deploy:write'] },
  touches: { kind: 'deployment', access: 'write', by: 'body.id' },
  addition: true,
  summary: 'Delete one submission of a form',
  body: Type.Object(
    { id: Id('Id of the form'), submission_id: Id('Number of the submission in its form') },
    added(closed),
  ),
  data: Type.Object({ submission_id: Id('Number of the deleted submission'), deleted: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9, submission_id: 1 }, data: { submission_id: 1, deleted: true } },
})
