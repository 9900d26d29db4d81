import { rmSync, statSync } from 'node:fs'
import { open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '@svc/server'
import { beforeSignal } from './before-signal.js'
import { partFileOf } from './part-file.js'

export interface Target {
  readonly path: string
  /** A device or a named pipe: its bytes cannot be replaced whole. */
  readonly isSpecial: boolean
}

/** @throws OperatorError for a file that exists, unless it may be replaced */
export async function expectFree(path: string, isForced: boolean): Promise<void> {
  if (!isForced && (await kindOf(path)) === 'file') throw exists(path)
}

/**
 * Finds the file to write. @throws OperatorError for a file that exists, unless it may be replaced
 * @param name the name of the file if `output` is a folder
 */
export async function targetOf(output: string, name: () => string, isForced: boolean): Promise<Target> {
  const path = (await kindOf(output)) === 'folder' ? join(output, name()) : output
  const kind = await kindOf(path)
  if (kind === 'folder') throw new OperatorError(`${path} is a folder: give a file.`)
  if (kind === 'file' && !isForced) throw exists(path)
  // A symbolic link stays: the file that it names is replaced.
  return { path: kind === 'file' ? await realpath(path) : path, isSpecial: kind === 'special' }
}

const exists = (path: string) => new OperatorError(`${path} exists: add --force to replace it.`)

async function kindOf(path: string): Promise<'missing' | 'folder' | 'file' | 'special'> {
  try {
    const found = await stat(path)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'special'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
    throw unwritable(path, error)
  }
}

/** The bytes of a file, which can be continued if they have an entity tag. */
export interface Source {
  readonly etag: string | undefined
  readonly bytesFrom: (position: number) => AsyncIterable<Uint8Array>
  /** Whether the error means that the bytes that were received are of no use. */
  readonly isOutdated: (error: unknown) => boolean
}

export interface SaveProgress {
  /** Called with the bytes that an earlier run has received. */
  readonly skip: (bytes: number) => void
  readonly note: (text: string) => void
}

/**
 * Writes a file that appears only when it is complete. A run that ends early leaves a part beside it, which the next one continues.
 * @throws OperatorError of the file system; the error of the source
 */
export async function saveFile({ path, isSpecial }: Target, source: Source, progress: SaveProgress): Promise<void> {
  if (isSpecial) {
    await write({ path, flags: 'w', start: 0 }, source.bytesFrom(0), path)
    return
  }
  const part = await partFileOf(path, source.etag)
  progress.skip(part.length)
  const keep = () => {
    if (part.isKept && isFilled(part.path))
      progress.note(`the received part is kept as ${part.path}: run the same command again to continue`)
    else rmSync(part.path, { force: true })
  }
  const ignoreSignals = beforeSignal(keep)
  try {
    const flags = part.length > 0 ? 'r+' : 'w'
    await write({ path: part.path, flags, start: part.length }, source.bytesFrom(part.length), path)
    await rename(part.path, path).catch((error: unknown) => {
      throw unwritable(path, error)
    })
  } catch (error) {
    if (source.isOutdated(error)) await rm(part.path, { force: true })
    else keep()
    throw error
  } finally {
    ignoreSignals()
  }
}

const isFilled = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

interface Opening {
  readonly path: string
  readonly flags: 'w' | 'r+'
  /** Position of the first byte. */
  readonly start: number
}

/** @param target the file that errors name */
async function write({ path, flags, start }: Opening, bytes: AsyncIterable<Uint8Array>, target: string): Promise<void> {
  const failed = (error: unknown) => {
    throw unwritable(target, error)
  }
  const handle = await open(path, flags).catch(failed)
  try {
    const isFile = (await handle.stat().catch(failed)).isFile()
    // At positions: a second run of the same command writes the same bytes to the same places.
    let position = start
    for await (const chunk of bytes) {
      await writeAll(handle, chunk, isFile ? position : null).catch(failed)
      position += chunk.length
    }
    if (isFile) await handle.sync().catch(failed)
  } finally {
    // A file system in the network may report a full disk only now.
    await handle.close().catch(failed)
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number | null): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const at = position === null ? null : position + written
    written += (await handle.write(chunk, written, chunk.length - written, at)).bytesWritten
  }
}

const unwritable = (path: string, error: unknown) =>
  new OperatorError(`${path} cannot be written: ${(error as Error).message}`, 1, { cause: error })
