import { Type } from 'typebox'
import { platformMaxLength } from '../limits.js'
import { added, byRule, open, operation } from '../operation.js'
import { closed, Id, Nullable, plainTextPattern, Time } from '../schema.js'

/** Stored credentials (specification, section 4.5). */

const fields = 'The fields of a credential are not shown.'

export const Credential = Type.Object(
  {
    id: Id('Id of the credential'),
    platform: Type.String({ description: 'Platform to sign in to' }),
    label: Type.String({ description: 'Distinguishes credentials of one platform; may be empty' }),
    username: Nullable(Type.String(), { description: 'Null if not stored' }),
    secret: Nullable(Type.String(), { description: 'Password, key or token; null if the stored bytes are damaged' }),
    created_at: Time('When it was first stored'),
    updated_at: Time('When it was last stored'),
  },
  open(fields),
)

const credential = {
  id: 4,
  platform: 'registrar.example',
  label: 'work',
  username: 'ada',
  secret: 'correct horse battery staple',
  created_at: '2026-11-20T09:30:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
}

const plain = byRule({ pattern: plainTextPattern })

const platform = { minLength: 1, maxLength: platformMaxLength, ...plain, description: 'Platform to sign in to' }
const label = { maxLength: 128, ...plain, description: 'Distinguishes credentials of one platform' }
const username = { minLength: 1, maxLength: 256, ...plain }
const secret = {
  format: 'password',
  minLength: 1,
  maxLength: 65536,
  description: 'Password, key or token; encrypted at rest',
}

export const list = operation({
  id: 'cred.list',
  method: 'GET',
  path: '/v1/cred',
  access: { anyOf: ['cred:read', 'cred:write'] },
  touches: { kind: 'credential', access: 'read' },
  showsSecrets: true,
  summary: 'List stored credentials, optionally of one platform',
  description: 'The list contains the secrets, so the answer has `Cache-Control: no-store`.',
  query: Type.Object({
    platform: Type.Optional(
      Type.String(
        open('The name of the filter is not shown.', {
          minLength: 1,
          ...plain,
          description: 'Only credentials of this platform',
        }),
      ),
    ),
  }),
  data: Type.Object({ credentials: Type.Array(Credential, open(`Sorted by platform and label. ${fields}`)) }),
  example: { query: { platform: 'registrar.example' }, data: { credentials: [credential] } },
})

export const store = operation({
  id: 'cred.store',
  method: 'POST',
  path: '/v1/cred',
  access: { anyOf: ['cred:write'] },
  touches: { kind: 'credential', access: 'write', by: 'body.platform' },
  summary: 'Store a credential',
  description: 'A credential with the same platform and label is replaced.',
  body: Type.Object(
    {
      platform: Type.String(platform),
      label: Type.Optional(Type.String({ default: '', ...label })),
      username: Type.Optional(Type.String({ ...username, description: 'Leave it out if there is no user name' })),
      secret: Type.String(secret),
    },
    open(fields, closed),
  ),
  data: Credential,
  example: {
    body: { platform: 'registrar.example', label: 'work', username: 'ada', secret: 'correct horse battery staple' },
    data: credential,
  },
})

export const update = operation({
  id: 'cred.update',
  method: 'POST',
  path: '/v1/cred/update',
  access: { anyOf: ['cred:write'] },
  touches: { kind: 'credential', access: 'write', by: 'body.id' },
  addition: true,
  showsSecrets: true,
  summary: 'Change a stored credential',
  description: 'Only supplied fields change. Platform and label together name one credential.',
  body: Type.Object(
    {
      id: Id('Id of the credential'),
      platform: Type.Optional(Type.String(platform)),
      label: Type.Optional(Type.String(label)),
      username: Type.Optional(Nullable(Type.String(), { ...username, description: 'User name; null removes it' })),
      secret: Type.Optional(Type.String(secret)),
    },
    added(closed),
  ),
  data: Credential,
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 4, username: 'ada', secret: credential.secret }, data: credential },
})

const remove = operation({
  id: 'cred.delete',
  method: 'POST',
  path: '/v1/cred/delete',
  access: { anyOf: ['cred:write'] },
  touches: { kind: 'credential', access: 'write', by: 'body.id' },
  addition: true,
  summary: 'Delete a stored credential',
  body: Type.Object({ id: Id('Id of the credential') }, added(closed)),
  data: Type.Object({ id: Id('Id of the deleted credential'), deleted: Type.Literal(true) }, added({})),
  errors: ['not_found', 'forbidden'],
  example: { body: { id: 4 }, data: { id: 4, deleted: true } },
})

export { remove as delete }
