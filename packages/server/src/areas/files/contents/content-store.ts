import { createHash } from 'node:crypto'
import type { Database } from '../../../db/port.js'
import { prepared } from '../../../db/prepared.js'
import type { BlobKey, ByteRange } from '../../../ports/blobs/port.js'

/** An object that holds some of the bytes of a file. */
export interface Part {
  readonly key: BlobKey
  /** In bytes. */
  readonly size: number
}

export interface FilePart extends Part {
  /** The position of its first byte in the file. */
  readonly start: number
}

/** Identifies parts that are read page by page: equal only for the same parts in the same order. A key names one object, which never changes. */
export class Fingerprint {
  readonly #hash = createHash('sha256')

  add(parts: readonly Part[]): void {
    this.#hash.update(parts.map(({ key }) => `${key}\n`).join(''))
  }

  /** The fingerprint of all parts that were added. */
  end(): string {
    return this.#hash.digest('base64url')
  }
}

export function fingerprintOf(parts: readonly Part[]): string {
  const fingerprint = new Fingerprint()
  fingerprint.add(parts)
  return fingerprint.end()
}

/** How many parts are read at a time. A file may have 10,000, and reading all of them would block the event loop. */
const partsAtOnce = 256

/** Served by the primary key (file_id, start): the part with the first byte is the last one that starts at or before it. */
const inRange = prepared((db, p: ByteRange & { fileId: number }) =>
  db
    .selectFrom('file_part')
    .where('file_id', '=', p.fileId)
    .where('start', '>=', (from) =>
      from
        .selectFrom('file_part')
        .where('file_id', '=', p.fileId)
        .where('start', '<=', p.first)
        .select('start')
        .orderBy('start', 'desc')
        .limit(1),
    )
    .where('start', '<=', p.last)
    .select(['blob_key as key', 'size', 'start'])
    .orderBy('start')
    .limit(partsAtOnce),
)

/**
 * The first parts that hold bytes of a range, in their order; none if the file has been deleted. System query: the caller has
 * found the file for its account, or by its link.
 */
export const partsOf = (db: Database, fileId: number, { first, last }: ByteRange): Promise<FilePart[]> =>
  db.all(inRange, { fileId, first, last })

/** Served by the primary key. */
const contentOfFile = prepared((db, p: { fileId: number }) =>
  db.selectFrom('file_content').where('file_id', '=', p.fileId).select('bytes'),
)

/** The contents of a small file; undefined for another file. System query, as above. */
export const smallContentOf = async (db: Database, fileId: number): Promise<Buffer | undefined> =>
  (await db.one(contentOfFile, { fileId }))?.bytes
