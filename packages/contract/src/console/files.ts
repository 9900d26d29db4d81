import { Type } from 'typebox'
import { trafficCounts } from '../areas/cdn.js'
import { historyDaysMax } from '../limits.js'
import { open, operation } from '../operation.js'
import { HistoryDay, HistoryDays, idBounds, Nullable } from '../schema.js'

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
      free_bytes: Nullable(Type.Integer({ minimum: 0 }), {
        description:
          'Bytes that the disks of the server have room for, without their reserve; null if it does not store on a disk',
      }),
      uploads: Type.Integer({
        minimum: 0,
        description: 'Number of open uploads, which expire a day after their last part',
      }),
    },
    open(notShown),
  ),
  example: {
    data: {
      ...{ files: 12, shared: 3, bytes: 52_428_800, uploads: 1 },
      ...{ bytes_limit: 10_737_418_240, file_bytes_limit: null, free_bytes: 85_899_345_920 },
    },
  },
})

const historyNotShown = 'The specification has the sums of requests only: the console shows them by day.'

export const traffic = operation({
  id: 'files.traffic',
  method: 'GET',
  path: '/console/api/files/traffic',
  access: 'token',
  summary: 'Show the requests for shared files by day',
  description: `One entry for each day, the oldest first. Without an id, the sums of all shared files, with those that have been deleted since. Counts are written every second, for the day on which they are written. They are kept for ${String(historyDaysMax)} days.`,
  open: historyNotShown,
  query: Type.Object(
    { id: Type.Optional(Type.Integer({ ...idBounds, description: 'Id of one file' })), days: HistoryDays },
    open(historyNotShown),
  ),
  data: Type.Object({ days: Type.Array(Type.Object({ day: HistoryDay, ...trafficCounts })) }, open(historyNotShown)),
  errors: ['not_found', 'forbidden'],
  example: {
    query: { days: 2 },
    data: {
      days: [
        { day: '2026-11-22', requests: 0, hits: 0, misses: 0, bytes_served: 0 },
        { day: '2026-11-23', requests: 12, hits: 11, misses: 1, bytes_served: 60 },
      ],
    },
  },
})

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
