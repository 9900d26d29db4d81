import { randomBytes } from 'node:crypto'
import { link, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { MarkName } from '../port.js'
import { isMissing } from './errors.js'
import { marksFolder } from './folders.js'
import { syncFolder, writeFileDurably } from './write-file.js'

/** Errors of a file system without hard links, such as FAT. */
const linkless = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** The text of a mark; undefined if it does not exist. */
export async function readMark(root: string, name: MarkName): Promise<string | undefined> {
  try {
    return await readFile(pathOf(root, name), 'latin1')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Creates or replaces a mark. */
export function writeMark(root: string, name: MarkName, text: string): Promise<void> {
  return withTemporary(root, name, text, (temporary, path) => rename(temporary, path))
}

/** Creates a mark unless it exists: a link is atomic, and never replaces a file. */
export function createMark(root: string, name: MarkName, text: string): Promise<void> {
  return withTemporary(root, name, text, async (temporary, path) => {
    try {
      await link(temporary, path)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (linkless.includes(code)) await rename(temporary, path)
      else if (code !== 'EEXIST') throw error
    }
  })
}

async function withTemporary(
  root: string,
  name: MarkName,
  text: string,
  place: (temporary: string, path: string) => Promise<void>,
): Promise<void> {
  const path = pathOf(root, name)
  const temporary = `${path}.${randomBytes(8).toString('hex')}`
  try {
    await writeFileDurably(temporary, Readable.from([Buffer.from(text, 'latin1')]))
    await place(temporary, path)
    await syncFolder(marksFolder(root))
  } finally {
    // It exists unless it was renamed. The caller needs the first error; a remainder is only a few bytes.
    await Promise.allSettled([unlink(temporary)])
  }
}

const pathOf = (root: string, name: MarkName): string => join(marksFolder(root), name)
