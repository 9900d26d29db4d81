import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed, DeletedCount, Id, Ids } from '../schema.js'

/** Deployments in the console: what it does for several submissions or requests at once. */

const notShown = 'The console does this for several at once; its requests are not shown.'

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

export const redeliverFailed = operation({
  id: 'deployments.redeliverFailed',
  method: 'POST',
  path: '/console/api/deployments/requests/redeliver-failed',
  access: 'token',
  summary: 'Forward all requests of a webhook again that have failed',
  description:
    'Those that wait for their next attempt, and those that were given up, as far as they may wait. Each begins again with all attempts.',
  open: notShown,
  body: Type.Object({ id: Id('Id of the webhook') }, open(notShown, closed)),
  data: Type.Object(
    {
      id: Id('Id of the webhook'),
      redelivered: Type.Integer({ minimum: 0, description: 'How many requests are forwarded again' }),
    },
    open(notShown),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 9 }, data: { id: 9, redelivered: 30 } },
})
