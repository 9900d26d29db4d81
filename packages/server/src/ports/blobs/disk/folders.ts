import { mkdir, opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobKey } from '../port.js'
import { codeOf, giveToFolderOwner } from '../../../shared/private-file.js'
import { makeDirectory, pathError, problemOf } from '../../../shared/usable-path.js'
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

const role = { name: 'The directory of the files', otherwise: 'set SVC_DATA or SVC_BLOBS to another place' }

/**
 * Makes all folders, and makes their names durable. At the start, because a folder that `put` made would have to be synchronised
 * together with its parents; at every start, because an earlier one may have been interrupted.
 * @throws OperatorError if a folder cannot be made or used
 */
export async function makeFolders(root: string): Promise<void> {
  const firstMade = await makeDirectory(root, role)
  const inner = [unfinishedFolder(root), marksFolder(root), ...digits.map((digit) => join(root, digit))]
  for (const folders of [inner, objectFolders(root)])
    await Promise.all(folders.map((folder) => makeFolder(folder, root)))
  try {
    for (const digit of digits) await syncFolder(join(root, digit))
    await syncFolder(root)
    if (firstMade === undefined) return
    for (let folder = root; folder !== dirname(firstMade); folder = dirname(folder)) await syncFolder(dirname(folder))
  } catch (error) {
    throw pathError(root, role, problemOf(error, root), error)
  }
}

/** @param root existing and writable */
async function makeFolder(folder: string, root: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
    giveToFolderOwner(folder)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw pathError(root, role, problemOf(error, dirname(folder)), error)
  }
}

/** Names of the files in a folder, read in pieces, because a folder may hold very many. */
export async function* namesIn(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder, { bufferSize: 256 })) if (entry.isFile()) yield entry.name
}
