import { mkdir, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobKey } from '../port.js'
import { syncFolder } from './write-file.js'

const digits = Array.from({ length: 16 }, (_, digit) => digit.toString(16))

/** The folder of files that are being written. It is on the same file system, so that a rename is atomic. */
const unfinished = 'unfinished'

export const unfinishedFolder = (root: string): string => join(root, unfinished)

/** The folder of the marks. */
export const marksFolder = (root: string): string => join(root, 'marks')

export const unfinishedPath = (root: string, key: BlobKey): string => join(root, unfinished, key)

export const folderOf = (root: string, key: BlobKey): string => join(root, key.charAt(0), key.charAt(1))

export const pathOf = (root: string, key: BlobKey): string => join(folderOf(root, key), key)

/** Two levels of 16 folders: 16 million files are 65,000 in a folder. */
export const objectFolders = (root: string): string[] =>
  digits.flatMap((first) => digits.map((second) => join(root, first, second)))

/**
 * Makes all folders, and makes their names durable. At the start, because a folder that `put` made would have to be synchronised
 * together with its parents; at every start, because an earlier one may have been interrupted.
 */
export async function makeFolders(root: string): Promise<void> {
  const firstMade = await mkdir(root, { recursive: true, mode: 0o700 })
  const folders = [unfinishedFolder(root), marksFolder(root), ...objectFolders(root)]
  await Promise.all(folders.map((path) => mkdir(path, { recursive: true, mode: 0o700 })))
  for (const digit of digits) await syncFolder(join(root, digit))
  await syncFolder(root)
  if (firstMade === undefined) return
  for (let folder = root; folder !== dirname(firstMade); folder = dirname(folder)) await syncFolder(dirname(folder))
}

/** Names of the files in a folder, read in pieces, because a folder may hold very many. */
export async function* namesIn(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder, { bufferSize: 256 })) if (entry.isFile()) yield entry.name
}
