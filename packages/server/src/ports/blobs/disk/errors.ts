import { StorageError } from '../port.js'

/** The reason shown to the caller for a disk's error; the log has the rest. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of the server is full',
  EDQUOT: 'the disk of the server is full',
  EROFS: 'the disk of the server is read-only',
  EACCES: 'the server has no permission for it',
  EPERM: 'the server has no permission for it',
  EMFILE: 'the server has too many open files',
  ENFILE: 'the server has too many open files',
  ENOENT: 'the file or its directory is missing',
}

/** An error of the disk as a StorageError with this sentence and the reason. */
export function diskError(problem: string, error: unknown): StorageError {
  const { code = '' } = error as NodeJS.ErrnoException
  return new StorageError(`${problem}: ${reasons[code] ?? 'the disk of the server failed'}.`, { cause: error })
}

/** @returns a function that throws an error of the disk as a `diskError` */
export const rethrowAs =
  (problem: string) =>
  (error: unknown): never => {
    throw diskError(problem, error)
  }

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
