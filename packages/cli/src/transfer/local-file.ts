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

/** Input that can be read only once: stdin, a named pipe, a device. */
export interface Pipe {
  readonly kind: 'pipe'
  readonly stream: AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** Opens a file, or stdin if the name is `-`. @throws OperatorError with exit code 2 if it cannot be read */
export async function openSource(given: string): Promise<LocalFile | Pipe> {
  if (given === '-') return { kind: 'pipe', stream: process.stdin, close: async () => undefined }
  const handle = await open(given).catch((error: unknown) => {
    throw unreadable(given, error, 2)
  })
  const stat = await handle.stat()
  if (stat.isDirectory()) {
    await handle.close()
    throw new OperatorError(`${given} is a folder: give a file.`, 2)
  }
  if (!stat.isFile())
    return { kind: 'pipe', stream: handle.createReadStream({ autoClose: false }), close: () => handle.close() }
  return localFile(given, handle, stat)
}

function localFile(given: string, handle: FileHandle, { size, mtimeMs }: { size: number; mtimeMs: number }): LocalFile {
  const changed = () => new OperatorError(`${given} was changed while it was read: run the command again.`)
  return {
    kind: 'file',
    ...{ path: resolve(given), name: basename(resolve(given)), size, mtimeMs },
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
