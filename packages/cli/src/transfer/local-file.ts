import { fstatSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { OperatorError } from '@svc/server'

/** A file that is read in parts, in any order. */
export interface LocalFile {
  readonly kind: 'file'
  /** Absolute. */
  readonly path: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  readonly mtimeMs: number
  /** @throws OperatorError if the file cannot be read or has become shorter */
  readonly read: (position: number, length: number) => Promise<Buffer<ArrayBuffer>>
  /** @throws OperatorError if the file has changed since it was opened */
  readonly expectUnchanged: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Input of unknown length, or that can be read only once: stdin, a named pipe, a device, a file of /proc. */
export interface Pipe {
  readonly kind: 'pipe'
  readonly stream: AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** Opens a file, or stdin if the name is `-`. @throws OperatorError with exit code 2 if it cannot be read */
export async function openSource(given: string): Promise<LocalFile | Pipe> {
  if (given === '-') {
    // Node.js would read a folder as empty.
    if (fstatSync(0).isDirectory()) throw isFolder('stdin')
    return { kind: 'pipe', stream: readable('stdin', process.stdin), close: async () => undefined }
  }
  const handle = await open(given).catch((error: unknown) => {
    throw unreadable(given, error, 2)
  })
  const stat = await handle.stat()
  if (stat.isDirectory()) {
    await handle.close()
    throw isFolder(given)
  }
  if (stat.isFile() && !(stat.size === 0 && (await hasBytes(handle)))) return localFile(given, handle, stat)
  const stream = readable(given, handle.createReadStream({ autoClose: false }))
  return { kind: 'pipe', stream, close: () => handle.close() }
}

/** @throws OperatorError if the stream cannot be read */
async function* readable(given: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw unreadable(given, error, 1)
  }
}

/** The files of /proc have the size 0, and bytes or an error. The position of `handle` stays. */
const hasBytes = (handle: FileHandle): Promise<boolean> =>
  handle.read(Buffer.alloc(1), 0, 1, 0).then(
    ({ bytesRead }) => bytesRead > 0,
    () => true,
  )

const isFolder = (given: string) => new OperatorError(`${given} is a folder: give a file.`, 2)

function localFile(given: string, handle: FileHandle, { size, mtimeMs }: { size: number; mtimeMs: number }): LocalFile {
  const changed = () => new OperatorError(`${given} was changed while it was read: run the command again.`)
  return {
    kind: 'file',
    path: resolve(given),
    name: basename(resolve(given)),
    size,
    mtimeMs,
    read: async (position, length) => {
      const bytes = Buffer.allocUnsafe(length)
      for (let filled = 0; filled < length;) {
        const { bytesRead } = await handle
          .read(bytes, filled, length - filled, position + filled)
          .catch((e: unknown) => {
            throw unreadable(given, e, 1)
          })
        if (bytesRead === 0) throw changed()
        filled += bytesRead
      }
      return bytes
    },
    expectUnchanged: async () => {
      const now = await handle.stat()
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed()
    },
    close: () => handle.close(),
  }
}

const unreadable = (given: string, error: unknown, exitCode: 1 | 2) =>
  new OperatorError(`${given} cannot be read: ${(error as Error).message}`, exitCode, { cause: error })
