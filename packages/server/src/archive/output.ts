import { link, lstat, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../shared/operator-error.js'
import { syncFolder, writeFileDurably } from '../ports/blobs/disk/write-file.js'
import { codeOf } from '../shared/private-file.js'
import { removeAbandoned, temporaryOf } from '../shared/temporary-file.js'

/** Where an archive is written. */
export interface ArchiveOutput {
  write(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Gives the archive its name, durably. */
  complete(): Promise<void>
  /** Deletes the unfinished archive. */
  discard(): Promise<void>
  /** The file that has the bytes until then. */
  readonly temporary?: string
}

/** A running backup writes more often. Older temporary files are those of processes that were killed. */
const abandonedAfterMs = 60 * 60_000

/**
 * Writes an archive to a file that does not exist, readable for its owner only. The file has its name when it is whole.
 * @throws OperatorError if it exists, or its folder cannot be written
 */
export async function fileOutput(file: string): Promise<ArchiveOutput> {
  const temporary = temporaryOf(file)
  const found = await lstat(file).catch((error: unknown) =>
    codeOf(error) === 'ENOENT' ? undefined : fail(file, error),
  )
  if (found !== undefined) throw alreadyExists(file)
  await removeAbandoned(file, abandonedAfterMs)
  return {
    temporary,
    write: (bytes) => writeFileDurably(temporary, bytes).catch((error: unknown) => fail(file, error)),
    complete: () => place(temporary, file).catch((error: unknown) => fail(file, error)),
    discard: () => rm(temporary, { force: true }),
  }
}

/** Writes an archive to a stream, such as stdout, which stays open. @param name for messages */
export const streamOutput = (stream: Writable, name: string): ArchiveOutput => ({
  write: (bytes) => pipeline(bytes, stream, { end: false }).catch((error: unknown) => fail(name, error)),
  complete: () => Promise.resolve(),
  discard: () => Promise.resolve(),
})

/** A link does not replace a file, unlike a rename, which is the way on file systems without links. */
async function place(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file)
    await rm(temporary)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw alreadyExists(file)
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(String(codeOf(error)))) throw error
    await rename(temporary, file)
  }
  await syncFolder(dirname(file))
}

const alreadyExists = (file: string): OperatorError =>
  new OperatorError(`${file} exists already: name another file, or remove it.`)

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory is not a directory',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EPIPE: 'its reader has closed the pipe',
}

function fail(file: string, error: unknown): never {
  const code = codeOf(error)
  if (error instanceof OperatorError || typeof code !== 'string') throw error
  throw new OperatorError(`${file} cannot be written: ${reasons[code] ?? code}.`, 1, { cause: error })
}
