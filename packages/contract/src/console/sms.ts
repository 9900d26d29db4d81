import { Type } from 'typebox'
import { SigningKey } from '../areas/sms.js'
import { open, operation } from '../operation.js'
import { DeletedCount, Id, Ids, Nullable, closed } from '../schema.js'

/** The signing keys of devices that forward SMS messages, and the deletion of messages. */

const notShown = 'The console sets signing keys; its requests are not shown.'

export const signingKeySet = operation({
  id: 'sms.signingKeySet',
  method: 'POST',
  path: '/console/api/sms/keys/signing-key',
  access: 'token',
  summary: 'Set or remove the signing key of a forwarder key',
  description: 'With a signing key, messages without a valid signature are refused with 401.',
  open: notShown,
  body: Type.Object(
    {
      id: Id('Id of the forwarder key'),
      signing_key: Nullable(SigningKey, { description: 'The signing key of the device; null removes it' }),
    },
    open(notShown, closed),
  ),
  data: Type.Object(
    {
      id: Id('Id of the forwarder key'),
      has_signing_key: Type.Boolean({ description: 'Whether only signed messages are accepted' }),
    },
    open(notShown),
  ),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 2, signing_key: 'k8Yz2QpW' }, data: { id: 2, has_signing_key: true } },
})

const deletionNotShown = 'The specification keeps messages until their retention ends: the console deletes them.'

export const messagesDelete = operation({
  id: 'sms.messagesDelete',
  method: 'POST',
  path: '/console/api/sms/messages/delete',
  access: 'token',
  summary: 'Delete messages',
  description:
    'Ids of messages that do not exist are ignored. If a device forwards a deleted message again, it is stored again.',
  open: deletionNotShown,
  body: Type.Object({ ids: Ids('Ids of the messages') }, open(deletionNotShown, closed)),
  data: Type.Object({ deleted: DeletedCount }, open(deletionNotShown)),
  example: { body: { ids: [40, 41] }, data: { deleted: 2 } },
})
