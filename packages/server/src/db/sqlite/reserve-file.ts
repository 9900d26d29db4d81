import { randomFillSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { giveToOwnerOf } from '../../shared/private-file.js'

/**
 * A file of random bytes beside the database. On a disk that is full to the last byte, the writer removes it, so that deletes and
 * revocations have room: they need it for the write-ahead log before they free any.
 */
export const reserveFileOf = (file: string): string => `${file}-reserve`

const bytesMax = 16 * 1024 ** 2
const pieceBytes = 1024 ** 2

/** The size of the file for a reserve of the disk. It is a part of that reserve, which the disk has in any case. */
export const reserveFileBytes = (reserveBytes: number): number => Math.min(bytesMax, Math.floor(reserveBytes / 2))

/** Gives the space of the file back. @returns whether there was one */
export function freeReserve(file: string): boolean {
  try {
    rmSync(reserveFileOf(file))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Creates the file unless it exists. A part that a killed process has left is written anew. @throws the error of the disk, and keeps nothing */
export async function fillReserve(file: string, bytes: number): Promise<void> {
  const path = reserveFileOf(file)
  const before = await stat(path).catch(() => undefined)
  if (before?.size === bytes) return
  try {
    const handle = await open(path, 'w', 0o600)
    try {
      // Not zeros: a file system that compresses would not store them.
      const piece = randomFillSync(Buffer.alloc(Math.min(pieceBytes, bytes)))
      for (let left = bytes; left > 0; left -= piece.length) await handle.write(piece, 0, Math.min(piece.length, left))
    } finally {
      await handle.close()
    }
    giveToOwnerOf(file, path)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
