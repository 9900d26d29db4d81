import { StorageError } from '../port.js'

/** What users can read of a disk's error; the log has the rest. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of the server is full',
  EDQUOT: 'the disk of the server is full',
  EROFS: 'the disk of the server is read-only',
  EMFILE: 'the server has too many open files',
  ENFILE: 'the server has too many open files',
  ENOENT: 'it does not exist',
}

/** @returns a function that throws an error of the disk as a StorageError */
export const storageError =
  (problem: string) =>
  (error: unknown): never => {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new StorageError(`${problem}: ${reasons[code] ?? 'the disk of the server failed'}.`, { cause: error })
  }

export const cannotStore = storageError('The bytes could not be stored')

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
