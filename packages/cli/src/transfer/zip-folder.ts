import { createWriteStream } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '@svc/server'
import { ZipFile } from 'yazl'

/** Files and folders that the server leaves out anyway (docs/sites.md). */
const leftOut = new Set(['.git', '.DS_Store', '__MACOSX'])

/** The files of a folder. Paths are relative to it. */
export interface FolderFiles {
  readonly paths: readonly string[]
  /** Hidden files, links out of the folder and to folders, and special files such as sockets: they are not part of the site. */
  readonly skipped: readonly string[]
}

/** Lists the files of a folder and of all folders in it, in one order on all systems. @throws OperatorError if one cannot be read */
export async function filesOf(folder: string): Promise<FolderFiles> {
  const paths: string[] = []
  const skipped: string[] = []
  const root = await realpath(folder)
  async function walk(within: string): Promise<void> {
    const entries = await readdir(join(root, within), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(within, entry.name)
      if (leftOut.has(entry.name)) continue
      if (isHidden(entry.name)) skipped.push(path)
      else if (entry.isDirectory()) await walk(path)
      else if (entry.isFile() || (entry.isSymbolicLink() && (await isFileWithin(root, path)))) paths.push(path)
      else skipped.push(path)
    }
  }
  await walk('').catch((error: unknown) => {
    throw unreadable(folder, error)
  })
  return { paths, skipped }
}

/** Such as `.env`. `.well-known` is part of sites (RFC 8615). */
const isHidden = (name: string): boolean => name.startsWith('.') && name.toLowerCase() !== '.well-known'

async function isFileWithin(root: string, link: string): Promise<boolean> {
  // A link to nothing has no real path.
  const target = await realpath(join(root, link)).catch(() => undefined)
  return target?.startsWith(root + sep) === true && (await lstat(target)).isFile()
}

/** Writes the files of a folder into a new zip, which only this user may read. @throws OperatorError if a file cannot be read */
export async function zipFolder(folder: string, paths: readonly string[], target: string): Promise<void> {
  const zip = new ZipFile()
  const root = await realpath(folder)
  for (const path of paths) zip.addFile(join(root, path), relative('', path).split(sep).join('/'))
  zip.end()
  // yazl reports files that it cannot read on the archive, not on its stream.
  const failed = new Promise<never>((_resolve, reject) => zip.once('error', reject))
  const written = pipeline(zip.outputStream, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  await Promise.race([written, failed]).catch((error: unknown) => {
    throw unreadable(folder, error)
  })
}

const unreadable = (folder: string, error: unknown) =>
  new OperatorError(`${folder} cannot be zipped: ${(error as Error).message}`, 1, { cause: error })
