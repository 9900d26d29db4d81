import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { Id, closed } from '../schema.js'

/** Credentials in the console. */

const notShown = 'The specification deletes no credentials: the console does.'

const remove = operation({
  id: 'cred.delete',
  method: 'POST',
  path: '/console/api/cred/delete',
  access: 'token',
  summary: 'Delete a stored credential',
  open: notShown,
  body: Type.Object({ id: Id('Id of the credential') }, closed),
  data: Type.Object({ id: Id('Id of the deleted credential'), deleted: Type.Literal(true, open(notShown)) }),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 4 }, data: { id: 4, deleted: true } },
})

export { remove as delete }
