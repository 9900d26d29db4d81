import { randomBytes } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A name beside a file for its future contents; two processes never have the same one. */
export const temporaryOf = (file: string): string => `${file}.${randomBytes(8).toString('hex')}.tmp`

/** Removes a temporary file. A failure must not replace the error of the work before; `removeAbandoned` tries it again. */
export const removeTemporary = (file: string): Promise<void> => rm(file).catch(() => undefined)

/**
 * Removes the temporary files of a file that killed processes have left. Another process may remove them at the same time.
 * @param afterMs a process that still writes is younger, in milliseconds since its last write
 */
export async function removeAbandoned(file: string, afterMs: number): Promise<void> {
  const prefix = `${basename(file)}.`
  // A folder that cannot be read fails the write that follows, with its own message.
  const names = await readdir(dirname(file)).catch(() => [])
  for (const name of names.filter(
    (name) => name.startsWith(prefix) && /^[\da-f]{16}\.tmp$/.test(name.slice(prefix.length)),
  )) {
    const path = join(dirname(file), name)
    // Undefined for a file that another process has removed.
    const stats = await stat(path).catch(() => undefined)
    if (stats !== undefined && stats.mtimeMs < Date.now() - afterMs) await removeTemporary(path)
  }
}
