import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { Part } from './pieces.js'

/** Served by the primary key (file_id, part). */
const ofFile = prepared((db, p: { fileId: number }) =>
  db.selectFrom('file_part').where('file_id', '=', p.fileId).select(['blob_key as key', 'size']).orderBy('part'),
)

/** Served by the primary key. */
const contentOfFile = prepared((db, p: { fileId: number }) =>
  db.selectFrom('file_content').where('file_id', '=', p.fileId).select('bytes'),
)

/** The contents of a small file; undefined for another file. System query, as above. */
export const smallContentOf = async (db: Database, fileId: number): Promise<Buffer | undefined> =>
  (await db.one(contentOfFile, { fileId }))?.bytes

/** The parts of a file, in the order of its bytes. System query: the caller has found the file for its account, or its link. */
export const partsOf = (db: Database, fileId: number): Promise<Part[]> => db.all(ofFile, { fileId })
