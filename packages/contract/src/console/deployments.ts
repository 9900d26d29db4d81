import { Type } from 'typebox'
import { deploymentFields, exampleDeployment } from '../areas/deployments.js'
import { deploymentKinds } from '../limits.js'
import { historyDaysMax, slugPattern } from '../limits.js'
import { byRule, open, operation } from '../operation.js'
import {
  DaysQuery,
  DeletedCount,
  HistoryDay,
  HistoryDays,
  Id,
  Ids,
  Nullable,
  PageData,
  PageQuery,
  PathId,
  Time,
  closed,
} from '../schema.js'
import {
  FormOptions,
  ShortlinkOptions,
  WebhookDetail,
  exampleFormOptions,
  exampleShortlinkOptions,
} from './deployment-options.js'

/** Forms, webhooks and short links: created, changed and shown in detail, with the submissions of forms. */

const notShown = 'The console creates deployments; its requests are not shown.'

const target = {
  ...byRule({ maxLength: 2048 }),
  description: 'An absolute http or https URL: where a short link redirects to, or a webhook forwards to',
}

/** The options of each kind. Those of another kind are refused. */
const options = {
  form: Type.Optional(Type.Partial(FormOptions, { ...closed, description: 'Options of a form' })),
  shortlink: Type.Optional(Type.Partial(ShortlinkOptions, { ...closed, description: 'Options of a short link' })),
}

const DeploymentDetail = Type.Object(
  {
    ...deploymentFields,
    form: Type.Optional(FormOptions),
    shortlink: Type.Optional(ShortlinkOptions),
    webhook: Type.Optional(WebhookDetail),
    updated_at: Time('When it was last changed'),
  },
  open(notShown),
)

const example = { ...exampleDeployment, shortlink: exampleShortlinkOptions, updated_at: exampleDeployment.created_at }

export const create = operation({
  id: 'deployments.create',
  method: 'POST',
  path: '/console/api/deployments/create',
  access: 'token',
  summary: 'Create a form, a webhook or a short link',
  open: notShown,
  body: Type.Object(
    {
      kind: Type.Enum([...deploymentKinds]),
      slug: Type.Optional(
        Type.String({
          pattern: slugPattern,
          description: 'Last part of the address: 1 to 63 lower-case letters, digits and hyphens; random by default',
        }),
      ),
      target: Type.Optional(Type.String(target)),
      enabled: Type.Optional(Type.Boolean({ default: true, description: 'If false, its address answers 404' })),
      ...options,
    },
    open(notShown, closed),
  ),
  data: DeploymentDetail,
  example: {
    body: { kind: 'shortlink', slug: 'launch', target: exampleDeployment.target, shortlink: { status: 302 } },
    data: { ...example, uses: 0 },
  },
})

export const update = operation({
  id: 'deployments.update',
  method: 'POST',
  path: '/console/api/deployments/update',
  access: 'token',
  summary: 'Change the target and the options of a deployment',
  open: `${notShown} Only supplied fields change.`,
  body: Type.Object(
    { id: Id('Id of the deployment'), target: Type.Optional(Nullable(Type.String(target), target)), ...options },
    open(notShown, closed),
  ),
  data: DeploymentDetail,
  errors: ['not_found', 'forbidden'],
  example: {
    body: { id: 9, target: exampleDeployment.target, shortlink: { forward_query: true } },
    data: { ...example, shortlink: { ...exampleShortlinkOptions, forward_query: true } },
  },
})

export const get = operation({
  id: 'deployments.get',
  method: 'GET',
  path: '/console/api/deployments/{id}',
  access: 'token',
  summary: 'Get one deployment with its options',
  open: notShown,
  params: Type.Object({ id: PathId('Id of the deployment') }),
  data: DeploymentDetail,
  errors: ['not_found', 'forbidden'],
  example: {
    params: { id: '9' },
    data: { ...exampleDeployment, kind: 'form', form: exampleFormOptions, updated_at: exampleDeployment.created_at },
  },
})

const Failures = Type.Integer({
  minimum: 0,
  description: 'Failed attempts to forward a request; 0 except for webhooks',
})

export const uses = operation({
  id: 'deployments.uses',
  method: 'GET',
  path: '/console/api/deployments/{id}/uses',
  access: 'token',
  summary: 'Show the uses of a deployment by day',
  description: `One entry for each day, the oldest first. Uses of short links are written every second, for the day on which they are written. They are kept for ${String(historyDaysMax)} days.`,
  open: notShown,
  params: Type.Object({ id: PathId('Id of the deployment') }),
  query: Type.Object({ days: HistoryDays(notShown) }),
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
    open(notShown),
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
  path: '/console/api/deployments/{id}/uses/hours',
  access: 'token',
  summary: 'Show the uses of a deployment in the last 24 hours',
  description: 'One entry for each hour, the oldest first, the current hour included.',
  open: notShown,
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
    open(notShown),
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
  path: '/console/api/deployments/{id}/submissions',
  access: 'token',
  summary: 'List the submissions of a form, newest first',
  description: 'A page has at most 100 submissions, and fewer if they are long. A form keeps its last 10,000.',
  open: notShown,
  params: Type.Object(formId),
  query: Type.Object({ ...PageQuery, ...DaysQuery }),
  data: Type.Object({ submissions: Type.Array(Submission), ...PageData }, open(notShown)),
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
  path: '/console/api/deployments/{id}/submissions/export',
  access: 'token',
  kind: 'stream',
  summary: 'Download the submissions of a form as CSV',
  description:
    'UTF-8 with a byte order mark, one column for each field. An apostrophe precedes values that a spreadsheet would run as a formula.',
  open: notShown,
  params: Type.Object(formId),
  produces: ['text/csv'],
  errors: ['not_found', 'forbidden'],
  example: { params: { id: '9' } },
})

export const submissionDelete = operation({
  id: 'deployments.submissionDelete',
  method: 'POST',
  path: '/console/api/deployments/submissions/delete',
  access: 'token',
  summary: 'Delete one submission of a form',
  open: notShown,
  body: Type.Object(
    { id: Id('Id of the form'), submission_id: Id('Number of the submission in its form') },
    open(notShown, closed),
  ),
  data: Type.Object(
    { submission_id: Id('Number of the deleted submission'), deleted: Type.Literal(true) },
    open(notShown),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9, submission_id: 1 }, data: { submission_id: 1, deleted: true } },
})

export const submissionsDelete = operation({
  id: 'deployments.submissionsDelete',
  method: 'POST',
  path: '/console/api/deployments/submissions/delete-several',
  access: 'token',
  summary: 'Delete several submissions of a form',
  description: 'Numbers of submissions that do not exist are ignored.',
  open: notShown,
  body: Type.Object(
    { id: Id('Id of the form'), submission_ids: Ids('Numbers of the submissions in their form') },
    open(notShown, closed),
  ),
  data: Type.Object({ deleted: DeletedCount }, open(notShown)),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9, submission_ids: [1, 2] }, data: { deleted: 2 } },
})
