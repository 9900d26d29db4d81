import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { idBounds } from '../schema.js'

/** The preview of files in the console. */

const notShown = 'The specification has downloads only: the console shows a PDF file in a frame.'

export const preview = operation({
  id: 'files.preview',
  method: 'GET',
  path: '/console/api/files/preview',
  access: 'token',
  kind: 'stream',
  summary: 'Show a PDF file in a frame of the console',
  description: 'Files of other kinds are sent as attachments, as by a download.',
  open: notShown,
  query: Type.Object({ id: Type.Integer(open(notShown, { ...idBounds, description: 'Id of the file' })) }),
  produces: ['*/*'],
  errors: ['not_found', 'forbidden', 'upstream_error'],
  example: { query: { id: 7 } },
})
