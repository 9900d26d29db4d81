import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import { fileColumns, toFile, type StoredFile } from '../files/file.js'

/** Served by the unique index on share_key. */
const byKey = prepared((db, p: { key: string }) =>
  db.selectFrom('file').where('share_key', '=', p.key).select(fileColumns),
)

/** The file of a share link, read at each request. Its key authorises the request, so there is no account. */
export const sharedFile =
  (db: Database) =>
  async (key: string): Promise<StoredFile | undefined> => {
    const row = await db.one(byKey, { key })
    return row && toFile(row)
  }
