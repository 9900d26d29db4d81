import type { Readable } from 'node:stream'
import type { Database } from '../../../db/port.js'
import type { Blobs, ByteRange } from '../../../ports/blobs/port.js'
import { joinedStream } from './joined-stream.js'
import { partsOf } from './part-store.js'
import { piecesOf } from './pieces.js'

/** Opens a part of a file. @throws StorageError, also for a file that has been deleted */
export type OpenFile = (fileId: number, range: ByteRange) => Promise<Readable>

export const openFile =
  (db: Database, blobs: Blobs): OpenFile =>
  (fileId, range) =>
    joinedStream(
      blobs,
      piecesOf((rest) => partsOf(db, fileId, rest), range),
    )
