import type { Database } from '../../../db/port.js'
import type { Blobs, ByteRange, Content } from '../../../ports/blobs/port.js'
import type { StoredFile } from '../files/file.js'
import { joinedStream } from './joined-stream.js'
import { partsOf, smallContentOf } from './part-store.js'
import { piecesOf } from './pieces.js'

/**
 * Up to this size in bytes, the contents of an uploaded file are in the database: faster than an object, which needs two fsyncs.
 * A small file that was uploaded in parts has objects.
 */
export const smallFileMax = 8 * 1024

/** Opens a part of a file. @throws StorageError, also for a file that has been deleted */
export type OpenFile = (file: Pick<StoredFile, 'id' | 'size'>, range: ByteRange) => Promise<Content>

export const openFile =
  (db: Database, blobs: Blobs): OpenFile =>
  async (file, range) => {
    const small = file.size <= smallFileMax ? await smallContentOf(db, file.id) : undefined
    return (
      small?.subarray(range.first, range.last + 1) ??
      joinedStream(
        blobs,
        piecesOf((rest) => partsOf(db, file.id, rest), range),
      )
    )
  }
