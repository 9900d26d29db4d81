import { Type } from 'typebox'
import { open, operation } from '../operation.js'
import { Nullable } from '../schema.js'

/** The storage of the account in the console. */

const notShown = 'The specification does not show what an account stores: the console shows it.'

export const usage = operation({
  id: 'files.usage',
  method: 'GET',
  path: '/console/api/files/usage',
  access: 'token',
  summary: 'Show the used storage and its limits',
  open: notShown,
  data: Type.Object(
    {
      files: Type.Integer({ minimum: 0, description: 'Number of files' }),
      shared: Type.Integer({ minimum: 0, description: 'Number of files with a share link' }),
      bytes: Type.Integer({ minimum: 0, description: 'Bytes of all files and open uploads' }),
      bytes_limit: Nullable(Type.Integer({ minimum: 0 }), {
        description: 'Maximum size of all files in bytes; null for no limit',
      }),
      file_bytes_limit: Nullable(Type.Integer({ minimum: 0 }), {
        description: 'Maximum size of one file in bytes; null for no limit',
      }),
      uploads: Type.Integer({
        minimum: 0,
        description: 'Number of open uploads, which expire a day after their last part',
      }),
    },
    open(notShown),
  ),
  example: {
    data: { files: 12, shared: 3, bytes: 52_428_800, bytes_limit: 10_737_418_240, file_bytes_limit: null, uploads: 1 },
  },
})
