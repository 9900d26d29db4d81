import { Type } from 'typebox'
import { added } from '../operation.js'
import { Id, integerMax, Nullable, Time } from '../schema.js'

/** The bytes of the whole file, as a client declares them. Larger than the largest file that a server may accept. */
export const declaredSize = added({
  minimum: 0,
  maximum: integerMax,
  description:
    'Bytes of the whole file, in any part: an upload that exceeds the limits of the account is then refused at once',
})

/** An upload that is neither finished nor expired. */
export const OpenUpload = Type.Object(
  {
    upload_id: Id('Id of the upload'),
    size: Nullable(Type.Integer({ minimum: 0 }), { description: 'Bytes of the whole file; null if not declared' }),
    received_bytes: Type.Integer({ minimum: 0, description: 'Bytes of the received parts' }),
    parts: Type.Integer({ minimum: 0, description: 'Number of the received parts' }),
    updated_at: Time('When the last part arrived'),
    expires_at: Time('When the upload is removed, unless a part arrives before'),
  },
  added({}),
)

export const exampleUpload = {
  upload_id: 3,
  size: 12_000_000,
  received_bytes: 8_388_608,
  parts: 1,
  updated_at: '2026-11-20T09:30:00.000Z',
  expires_at: '2026-11-21T09:30:00.000Z',
}
