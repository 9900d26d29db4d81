import type { Database } from '../../../db/port.js'
import { StorageError, type Blobs, type ByteRange, type Content } from '../../../ports/blobs/port.js'
import { joinedStream } from './joined-stream.js'
import { partsOf, smallContentOf } from './part-store.js'
import { piecesOf } from './pieces.js'

/** Opens a part of a file. @throws StorageError, also for a file that has been deleted */
export type OpenFile = (fileId: number, range: ByteRange) => Promise<Content>

export const openFile =
  (db: Database, blobs: Blobs): OpenFile =>
  async (fileId, range) => {
    const [first, ...rest] = piecesOf(await partsOf(db, fileId), range)
    if (first === undefined) {
      const small = await smallContentOf(db, fileId)
      if (small) return small.subarray(range.first, range.last + 1)
    }
    if (first === undefined) throw new StorageError('The file has been deleted.')
    return joinedStream(blobs, [first, ...rest])
  }
