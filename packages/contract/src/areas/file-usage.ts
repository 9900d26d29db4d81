import { Type } from 'typebox'
import { historyDaysMax } from '../limits.js'
import { added, operation } from '../operation.js'
import { HistoryDay, HistoryDays, idBounds, Nullable } from '../schema.js'
import { trafficCounts } from './cdn.js'

/** What an account stores, and the requests for what it shares. */

export const usage = operation({
  id: 'files.usage',
  method: 'GET',
  path: '/v1/files/usage',
  access: { anyOf: ['files:read', 'files:write'] },
  addition: true,
  summary: 'Show the used storage and its limits',
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
    added({}),
  ),
  example: {
    data: {
      ...{ files: 12, shared: 3, bytes: 52_428_800, uploads: 1 },
      ...{ bytes_limit: 10_737_418_240, file_bytes_limit: null, free_bytes: 85_899_345_920 },
    },
  },
})

export const traffic = operation({
  id: 'files.traffic',
  method: 'GET',
  path: '/v1/files/traffic',
  access: { anyOf: ['files:read', 'files:write'] },
  addition: true,
  summary: 'Show the requests for shared files by day',
  description: `One entry for each day, the oldest first. Without an id, the sums of all shared files, with those that have been deleted since. Counts are written every second, for the day on which they are written. They are kept for ${String(historyDaysMax)} days.`,
  query: Type.Object({
    id: Type.Optional(Type.Integer({ ...idBounds, description: 'Id of one file' })),
    days: HistoryDays,
  }),
  data: Type.Object({ days: Type.Array(Type.Object({ day: HistoryDay, ...trafficCounts })) }, added({})),
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
