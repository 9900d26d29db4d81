import { createReadStream } from 'node:fs'
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StorageError, type BlobKey, type Blobs, type ByteRange, type Bytes, type Listed, type Stored } from '../port.js'
import { cannotStore, isMissing, storageError } from './errors.js'
import { syncFolder, writeFileDurably } from './write-file.js'

/** Objects as files in a directory, which is made if it does not exist. @throws StorageError */
export async function diskBlobs(root: string): Promise<Blobs> {
  await makeFolders(root).catch(storageError('The directory of the files cannot be prepared'))
  return new DiskBlobs(root)
}

const digits = [...'0123456789abcdef']

/** The folder of files that are still being written. Same file system, so that a rename is atomic. */
const unfinished = 'unfinished'

/** Bytes read at a time, as a task of the thread pool. */
const readBytes = 512 * 1024

const cannotRead = storageError('A stored file cannot be read')

class DiskBlobs implements Blobs {
  constructor(private readonly root: string) {}

  async put(key: BlobKey, bytes: Bytes): Promise<Stored> {
    const temporary = join(this.root, unfinished, key)
    try {
      const stored = await writeFileDurably(temporary, bytes)
      await rename(temporary, this.#path(key)).catch(cannotStore)
      await syncFolder(this.#folder(key)).catch(cannotStore)
      return stored
    } catch (error) {
      // If the disk fails here too, the sweep finds the rest: the error that the caller needs is the first.
      await this.remove(key).catch(() => undefined)
      throw error
    }
  }

  async open(key: BlobKey, { first, last }: ByteRange): Promise<Readable> {
    const file = await open(this.#path(key)).catch(cannotRead)
    try {
      const { size } = await file.stat()
      if (last >= size) throw new StorageError('A stored file is shorter than it should be.')
    } catch (error) {
      await file.close()
      throw error instanceof StorageError ? error : cannotRead(error)
    }
    return createReadStream('', { fd: file, start: first, end: last, highWaterMark: readBytes })
  }

  async sizeOf(key: BlobKey): Promise<number | undefined> {
    try {
      return (await stat(this.#path(key))).size
    } catch (error) {
      return isMissing(error) ? undefined : cannotRead(error)
    }
  }

  async remove(key: BlobKey): Promise<void> {
    for (const path of [this.#path(key), join(this.root, unfinished, key)])
      await rm(path, { force: true }).catch(storageError('A stored file cannot be removed'))
  }

  async *list(): AsyncIterable<Listed> {
    for await (const key of namesIn(join(this.root, unfinished))) yield { key, isWhole: false }
    for (const folder of foldersOf(this.root)) for await (const key of namesIn(folder)) yield { key, isWhole: true }
  }

  async ping(): Promise<void> {
    await stat(join(this.root, unfinished)).catch(storageError('The directory of the files cannot be read'))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  readonly #folder = (key: BlobKey): string => join(this.root, key.charAt(0), key.charAt(1))
  readonly #path = (key: BlobKey): string => join(this.#folder(key), key)
}

/** Two levels of 16 folders: 16 million files are 65,000 in a folder. */
const foldersOf = (root: string): string[] =>
  digits.flatMap((first) => digits.map((second) => join(root, first, second)))

/** Makes all folders at the start: one that `put` made would have to be synchronised together with its parents. */
async function makeFolders(root: string): Promise<void> {
  const paths = [join(root, unfinished), ...foldersOf(root)]
  const created = await Promise.all(paths.map((path) => mkdir(path, { recursive: true, mode: 0o700 })))
  if (created.every((path) => path === undefined)) return
  for (const path of [...digits.map((digit) => join(root, digit)), root, join(root, '..')]) await syncFolder(path)
}

/** Names of the files in a folder, read in pieces: it may hold very many. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  const cannotList = storageError('The directory of the files cannot be listed')
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) if (entry.isFile()) yield entry.name
  } catch (error) {
    cannotList(error)
  }
}
