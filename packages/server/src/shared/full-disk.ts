import { codeOf } from './private-file.js'

/** Of the operating system, SQLite and PostgreSQL (disk_full). The -shm file of SQLite cannot grow with SQLITE_IOERR_SHMSIZE. */
const codes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100']

/** Whether an error, or one of its causes, says that a disk is full. */
export function isFullDisk(error: unknown): boolean {
  for (let next = error; next instanceof Error; next = next.cause) if (codes.includes(codeOf(next))) return true
  return false
}
