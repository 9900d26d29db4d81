import { access, open, rename, stat, unlink } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { MeasuredBytes } from '../measured-bytes.js'
import {
  StorageError,
  type BlobKey,
  type Blobs,
  type ByteRange,
  type Bytes,
  type Listed,
  type MarkName,
  type Stored,
} from '../port.js'
import { isMissing, rethrowAs } from './errors.js'
import { FileReader } from './file-reader.js'
import { folderOf, makeFolders, namesIn, objectFolders, pathOf, unfinishedFolder, unfinishedPath } from './folders.js'
import { createMark, readMark, writeMark } from './marks.js'
import { syncFolder, writeFileDurably } from './write-file.js'

const pingMs = 2_000

const cannotStore = rethrowAs('The bytes could not be stored')
const cannotRead = rethrowAs('A stored file cannot be read')
const cannotRemove = rethrowAs('A stored file cannot be removed')
const cannotList = rethrowAs('The directory of the files cannot be listed')

/**
 * Objects as files in a directory, which is made if it does not exist.
 * @param root an absolute path
 * @throws OperatorError if it cannot be made or used
 */
export async function openDiskBlobs(root: string): Promise<Blobs> {
  await makeFolders(root)
  return new DiskBlobs(root)
}

/**
 * The same without making directories: a command may run as another user, and then the server could not use them.
 * @throws StorageError if the directory does not exist
 */
export async function openExistingDiskBlobs(root: string): Promise<Blobs> {
  await access(root).catch(rethrowAs(`The directory of the files, ${root}, cannot be opened`))
  return new DiskBlobs(root)
}

class DiskBlobs implements Blobs {
  /** The running check of the directory. A disk that hangs must not get a task of the thread pool for every ping. */
  #check: Promise<unknown> | undefined

  constructor(private readonly root: string) {}

  async put(key: BlobKey, bytes: Bytes): Promise<Stored> {
    const measured = new MeasuredBytes(bytes)
    const temporary = unfinishedPath(this.root, key)
    try {
      await writeFileDurably(temporary, measured)
      await rename(temporary, pathOf(this.root, key))
      await syncFolder(folderOf(this.root, key))
      return measured.stored()
    } catch (error) {
      // The caller needs this error, not a second one of the same disk. The sweep finds what could not be removed.
      await Promise.allSettled([this.remove(key)])
      if (measured.failure !== undefined) throw measured.failure.error
      return cannotStore(error)
    }
  }

  async open(key: BlobKey, { first, last }: ByteRange): Promise<Readable> {
    const file = await open(pathOf(this.root, key)).catch(cannotRead)
    try {
      const { size } = await file.stat()
      if (last >= size) throw new StorageError('A stored file is shorter than it should be.')
    } catch (error) {
      await file.close()
      throw error instanceof StorageError ? error : cannotRead(error)
    }
    return new FileReader(file, { first, last })
  }

  async sizeOf(key: BlobKey): Promise<number | undefined> {
    try {
      return (await stat(pathOf(this.root, key))).size
    } catch (error) {
      return isMissing(error) ? undefined : cannotRead(error)
    }
  }

  async remove(key: BlobKey): Promise<void> {
    for (const path of [pathOf(this.root, key), unfinishedPath(this.root, key)])
      await unlink(path).catch((error: unknown) => {
        if (!isMissing(error)) cannotRemove(error)
      })
  }

  /** Unfinished files first: one that is renamed in the meantime is found at its new place. */
  async *list(): AsyncGenerator<Listed> {
    try {
      for await (const key of namesIn(unfinishedFolder(this.root))) yield { key, isWhole: false }
      for (const folder of objectFolders(this.root))
        for await (const key of namesIn(folder)) yield { key, isWhole: true }
    } catch (error) {
      cannotList(error)
    }
  }

  readMark(name: MarkName): Promise<string | undefined> {
    return readMark(this.root, name).catch(cannotRead)
  }

  writeMark(name: MarkName, text: string): Promise<void> {
    return writeMark(this.root, name, text).catch(cannotStore)
  }

  createMark(name: MarkName, text: string): Promise<void> {
    return createMark(this.root, name, text).catch(cannotStore)
  }

  async ping(): Promise<void> {
    this.#check ??= stat(unfinishedFolder(this.root)).finally(() => {
      this.#check = undefined
    })
    const isLate = Symbol('late')
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, pingMs, isLate)
    })
    try {
      const first = await Promise.race([this.#check, late]).catch(
        rethrowAs('The directory of the files cannot be read'),
      )
      if (first === isLate) throw new StorageError('The disk of the files does not answer.')
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
