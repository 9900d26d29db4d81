import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { closed, DeletedCount, Ids } from '../schema.js'

/** The deletion of messages in the console. */

const notShown = 'The specification keeps messages until their retention ends: the console deletes them.'

export const messagesDelete = operation({
  id: 'sms.messagesDelete',
  method: 'POST',
  path: '/console/api/sms/messages/delete',
  access: 'token',
  summary: 'Delete messages',
  description:
    'Ids of messages that do not exist are ignored. If a device forwards a deleted message again, it is stored again.',
  open: notShown,
  body: Type.Object({ ids: Ids('Ids of the messages') }, open(notShown, closed)),
  data: Type.Object({ deleted: DeletedCount }, open(notShown)),
  example: { body: { ids: [40, 41] }, data: { deleted: 2 } },
})
