import { createHash } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Bytes, Stored } from '../port.js'
import { cannotStore } from './errors.js'

/** How many bytes wait for the disk. They are written together, because each write is a task of the thread pool. */
const bufferBytes = 1024 * 1024

/**
 * Writes a new file and resolves when its bytes are on the disk. Its name is durable only after `syncFolder`.
 * @throws the error of `bytes`; StorageError
 */
export async function writeFileDurably(path: string, bytes: Bytes): Promise<Stored> {
  const hash = createHash('sha256')
  let size = 0
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  let diskError: unknown
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: bufferBytes })
  file.once('error', (error) => (diskError ??= error))
  try {
    await pipeline(hashed, file)
  } catch (error) {
    // The file gets the error of the source too, but later.
    const isOfDisk = error === diskError
    await closed(file)
    if (isOfDisk) cannotStore(error)
    throw error
  }
  return { size, sha256: hash.digest('hex') }
}

/** Resolves when a file that was destroyed is closed. It may still be opening, and would appear after the caller has removed it. */
const closed = (file: WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (file.closed) resolve()
    else file.once('close', resolve)
  })

/** Makes the names in a folder durable (fsync(2): the sync of a file does not include its entry in the folder). */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
