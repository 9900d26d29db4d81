import { dirname } from 'node:path'
import type { DatabaseConfig } from '../../db/connect.js'
import { fillReserve, reserveFileBytes } from '../../db/sqlite/reserve-file.js'
import type { Job } from '../../shared/job.js'
import type { FileSystems } from './file-systems.js'

/** Also how long a server runs before it writes the file: commands and tests that end earlier do not need it. */
const everyMs = 5_000

/** Keeps the reserve file of SQLite, and writes it anew when the disk has room for it beside the reserve. */
export const reserveJob = (database: DatabaseConfig, space: FileSystems): Job[] =>
  database.kind === 'sqlite'
    ? [
        {
          name: 'disk.reserve',
          everyMs,
          runsIn: 'one process',
          failureMessage: 'the reserve file of the database could not be written',
          run: async () => {
            const { freeBytes, reserveBytes } = await space.of(dirname(database.file))
            const bytes = reserveFileBytes(reserveBytes)
            if (bytes > 0 && freeBytes - bytes >= reserveBytes) await fillReserve(database.file, bytes)
          },
        },
      ]
    : []
